//! Files whose name tells that they hold a secret. Rules name them all by the pattern `@secrets`.
//!
//! Data, and generous: a file that is listed by mistake costs one ask. Samples for others to copy are free.

/// Names in lower case, with `*` at one end or both.
const SECRET_NAMES: &[&str] = &[
    ".env*",
    "*.env",
    "*.env.*",
    ".dev.vars",
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".vault-token",
    ".yarnrc.yml",
    "*.asc",
    "*.gpg",
    "*.jks",
    "*.kdbx",
    "*.key",
    "*.keystore",
    "*.mobileprovision",
    "*.ovpn",
    "*.p12",
    "*.p8",
    "*.pem",
    "*.pfx",
    "*.ppk",
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    // What the tools call a file that holds one.
    "* (private key)",
    "application_default_credentials.json",
    "auth.json",
    "client_secret*.json",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "id_rsa*",
    "kubeconfig",
    "master.key",
    "service-account*.json",
    "service_account*.json",
    "terraform.rc",
    ".terraformrc",
];

/// Names that are secret without an ending, or with one of a data file: `credentials.rs` is source.
const SECRET_STEMS: &[&str] = &["credential", "credentials", "secret", "secrets"];
const DATA_ENDINGS: &[&str] = &[
    "",
    "cfg",
    "conf",
    "csv",
    "enc",
    "ini",
    "json",
    "json5",
    "properties",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];

/// Folders of keys: every file in them counts.
const SECRET_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"];

/// Samples, which hold no secrets, and public keys.
const SAMPLE_ENDINGS: &[&str] =
    &[".example", ".sample", ".template", ".dist", ".defaults", ".example.local", ".pub", ".schema.json"];

/// Whether a path looks like a secret. Case and the direction of slashes do not matter.
pub fn looks_like_secret(path: &str) -> bool {
    let path = path.replace('\\', "/").to_lowercase();
    let mut parts = path.trim_end_matches('/').rsplit('/');
    // A stream of NTFS, and trailing dots and blanks, which some systems drop: the same file.
    let name = parts.next().unwrap_or_default().split("::$").next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    if SAMPLE_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return false;
    }
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    SECRET_NAMES.iter().any(|pattern| matches_name(pattern, name))
        || (SECRET_STEMS.contains(&stem) && DATA_ENDINGS.contains(&ending))
        || parts.any(|folder| SECRET_FOLDERS.contains(&folder))
}

fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == name };
    let (middle, after) = after.split_once('*').unwrap_or(("", after));
    let Some(rest) = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) else {
        return false;
    };
    middle.is_empty() || rest.contains(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets() {
        let secrets = [
            ".env",
            ".ENV",
            "a/.env.local",
            ".envrc",
            ".Env.Production",
            "prod.env",
            "prod.env.bak",
            "certs/server.pem",
            "SERVER.KEY",
            ".npmrc",
            "web/.npmrc",
            ".netrc",
            "_netrc",
            "credentials",
            "credentials.json",
            "Credentials.yml",
            "secrets.toml",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "prod.tfvars",
            "id_rsa",
            "keys/id_ed25519.old",
            "/home/ada/.ssh/config",
            ".aws/config",
            ".kube/config",
            "a\\.env",
            ".env.",
            ".env::$DATA",
        ];
        for path in secrets {
            assert!(looks_like_secret(path), "{path}");
        }
        let plain = [
            ".env.example",
            ".env.sample",
            "a/.env.template",
            "environment.rs",
            "src/credentials.rs",
            "secrets.md",
            "src/secret.ts",
            "id_rsa.pub",
            "keyboard.rs",
            "monkey",
            "Cargo.toml",
            "package.json",
            ".envoy/config.yaml/x",
            "pem",
            "",
            "/",
        ];
        for path in plain {
            assert!(!looks_like_secret(path), "{path}");
        }
    }
}
