//! Larger projects, generated: parts with units, each of which uses the unit before it and the same unit of the part before, through
//! the part's barrel. So a change in one unit may break a neighbour, a file of another folder, and nothing else.

use serde::Deserialize;

use super::case::ProjectTexts;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GeneratedProject {
    language: GeneratedLanguage,
    parts: usize,
    /// In each part.
    units: usize,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GeneratedLanguage {
    C,
    Python,
    Rust,
    TypeScript,
}

impl GeneratedProject {
    pub(crate) fn files(&self) -> ProjectTexts {
        let mut files = ProjectTexts::new();
        for part in 0..self.parts {
            for unit in 0..self.units {
                let (path, text) = self.unit(part, unit);
                files.insert(path, text);
            }
            let (path, text) = self.barrel(part);
            files.insert(path, text);
        }
        files.extend(self.root());
        files
    }

    fn unit(&self, part: usize, unit: usize) -> (String, String) {
        let neighbour = unit.checked_sub(1).map(|before| (part, before));
        let other = part.checked_sub(1).map(|before| (before, unit));
        let name = |(part, unit): (usize, usize)| format!("unit_{part}_{unit}");
        let sum: Vec<_> = [neighbour, other].into_iter().flatten().map(|of| name(of) + "(value)").collect();
        let sum = [sum, vec!["1".to_owned()]].concat().join(" + ");
        let own = name((part, unit));
        let file = module((part, unit));
        let mut lines: Vec<String> = Vec::new();
        match self.language {
            GeneratedLanguage::TypeScript => {
                lines.extend(
                    neighbour.map(|of| format!("import {{ {} }} from \"./{}\";", name(of), module(of))),
                );
                lines.extend(other.map(|of| format!("import {{ {} }} from \"../part{}\";", name(of), of.0)));
                lines.push(format!("export function {own}(value: number): number {{"));
                lines.push(format!("  return {sum};"));
                lines.push("}".to_owned());
                if unit == 5 {
                    lines.push(format!("export function loose_{part}(value) {{ return value; }}"));
                }
                (format!("src/part{part}/{file}.ts"), join(&lines))
            }
            GeneratedLanguage::Python => {
                lines.extend(neighbour.map(|of| format!("from .{} import {}", module(of), name(of))));
                lines.extend(other.map(|of| format!("from ..part{} import {}", of.0, name(of))));
                lines.push(format!("def {own}(value: int) -> int:"));
                lines.push(format!("    return {sum}"));
                if unit == 5 {
                    lines.push(format!("def loose_{part}(value): return value"));
                }
                (format!("app/part{part}/{file}.py"), join(&lines))
            }
            GeneratedLanguage::Rust => {
                lines.extend(neighbour.map(|of| format!("use super::{}::{};", module(of), name(of))));
                lines.extend(other.map(|of| format!("use crate::part{}::{};", of.0, name(of))));
                lines.push(format!("pub fn {own}(value: i64) -> i64 {{"));
                lines.push(format!("    {sum}"));
                lines.push("}".to_owned());
                (format!("src/part{part}/{file}.rs"), join(&lines))
            }
            GeneratedLanguage::C => {
                lines.push(format!("#include \"part{part}.h\""));
                lines.push(format!("int {own}(int value) {{"));
                lines.push(format!("    return {sum};"));
                lines.push("}".to_owned());
                (format!("src/part{part}/{file}.c"), join(&lines))
            }
        }
    }

    /// The file that passes on what the units of a part give.
    fn barrel(&self, part: usize) -> (String, String) {
        let units = (0..self.units).map(|unit| (unit, module((part, unit))));
        match self.language {
            GeneratedLanguage::TypeScript => {
                let lines = units.map(|(_, file)| format!("export * from \"./{file}\";"));
                (format!("src/part{part}/index.ts"), join(&lines.collect::<Vec<_>>()))
            }
            GeneratedLanguage::Python => {
                let lines = units.map(|(unit, file)| {
                    format!("from .{file} import unit_{part}_{unit} as unit_{part}_{unit}")
                });
                (format!("app/part{part}/__init__.py"), join(&lines.collect::<Vec<_>>()))
            }
            GeneratedLanguage::Rust => {
                let lines =
                    units.map(|(unit, file)| format!("pub mod {file};\npub use {file}::unit_{part}_{unit};"));
                (format!("src/part{part}/mod.rs"), join(&lines.collect::<Vec<_>>()))
            }
            GeneratedLanguage::C => {
                let mut lines = vec!["#pragma once".to_owned()];
                lines.extend(part.checked_sub(1).map(|before| format!("#include \"part{before}.h\"")));
                lines.extend(units.map(|(unit, _)| format!("int unit_{part}_{unit}(int value);")));
                (format!("include/part{part}.h"), join(&lines))
            }
        }
    }

    fn root(&self) -> ProjectTexts {
        let parts = 0..self.parts;
        let files: Vec<(&str, String)> = match self.language {
            GeneratedLanguage::TypeScript => vec![(
                "tsconfig.json",
                "{ \"compilerOptions\": { \"strict\": true, \"noImplicitAny\": false, \"noEmit\": true, \
                 \"target\": \"es2022\", \"module\": \"esnext\", \"moduleResolution\": \"bundler\", \
                 \"lib\": [\"es2022\"], \"types\": [], \"skipLibCheck\": true }, \"include\": [\"src\"] }\n"
                    .to_owned(),
            )],
            GeneratedLanguage::Python => vec![
                ("app/__init__.py", String::new()),
                ("pyrightconfig.json", "{ \"include\": [\"app\"] }\n".to_owned()),
            ],
            GeneratedLanguage::Rust => vec![
                (
                    "Cargo.toml",
                    "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\n\
                     default = [\"parts\"]\nparts = []\n"
                        .to_owned(),
                ),
                (
                    "src/lib.rs",
                    join(&parts.map(|part| format!("pub mod part{part};")).collect::<Vec<_>>())
                        + "#[cfg(not(feature = \"parts\"))]\npub fn missing() -> i64 {\n    \"none\"\n}\n",
                ),
            ],
            GeneratedLanguage::C => vec![("compile_flags.txt", "-Iinclude\n".to_owned())],
        };
        files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect()
    }
}

/// The name of a unit's file, which is unique in the project.
fn module((part, unit): (usize, usize)) -> String {
    format!("module_{part}_{unit}")
}

fn join(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
