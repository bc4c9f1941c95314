//! Token prices.

use serde::{Deserialize, Serialize};

use crate::event::TokenUsage;

/// The prices of one model, in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPrices {
    #[serde(flatten)]
    pub base: TokenPrices,
    /// Replaces `base` for a request whose prompt exceeds `tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<LongPromptPrices>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LongPromptPrices {
    pub tokens: u64,
    #[serde(flatten)]
    pub tier: TokenPrices,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenPrices {
    pub input: f64,
    pub output: f64,
    /// Defaults to the input price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Defaults to the input price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

impl ModelPrices {
    /// US dollars for one request.
    pub fn cost(&self, usage: &TokenUsage) -> f64 {
        let above = self.above.as_ref().filter(|above| usage.prompt_tokens() > above.tokens);
        let tier = above.map_or(&self.base, |above| &above.tier);
        let dollars = usage.input as f64 * tier.input
            + usage.output as f64 * tier.output
            + usage.cache_read as f64 * tier.cache_read.unwrap_or(tier.input)
            + usage.cache_write as f64 * tier.cache_write.unwrap_or(tier.input);
        dollars / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_prompt_has_its_own_prices() {
        let prices = ModelPrices {
            base: TokenPrices { input: 3.0, output: 15.0, cache_read: Some(0.3), cache_write: Some(3.75) },
            above: Some(LongPromptPrices {
                tokens: 200_000,
                tier: TokenPrices { input: 6.0, output: 22.5, cache_read: None, cache_write: None },
            }),
        };
        let usage = TokenUsage {
            input: 100_000,
            output: 1_000,
            reasoning: 500,
            cache_read: 50_000,
            cache_write: 50_000,
        };
        let short = 0.3 + 0.015 + 0.015 + 0.1875;
        assert!((prices.cost(&usage) - short).abs() < 1e-9);
        let usage = TokenUsage { input: 100_001, ..usage };
        let long = 0.600_006 + 0.0225 + 0.3 + 0.3;
        assert!((prices.cost(&usage) - long).abs() < 1e-9);
    }
}
