use super::*;
use crate::file_system::memory::MemoryView;

/// What `PROGRAM --stdio` is found as, wanted in `/w/p` of `/w`.
#[track_caller]
fn find(
    program: &str,
    files: &[(&str, &str)],
    variables: &[(&str, &str)],
    in_project: bool,
) -> Option<String> {
    let path =
        "/w/bin:relative::/home/.cargo/bin:/home/.pyenv/shims:/home/.asdf/shims:/home/.volta/bin:/usr/bin";
    let variables = variables.iter().copied().chain([("PATH", path)]);
    let environment = variables.map(|(name, value)| (name.into(), value.into())).collect();
    let search =
        ProgramSearch::new(Arc::new(MemoryView::new(files)), environment, "/home".into(), in_project);
    let commands = [vec![program.to_owned(), "--stdio".to_owned()]];
    let (command, _) = search.find_program(&commands, Path::new("/w/p"), Path::new("/w"))?;
    assert_eq!(command[1], "--stdio");
    command[0].to_str().map(str::to_owned)
}

#[track_caller]
fn check(program: &str, files: &[(&str, &str)], expected: Option<&str>) {
    assert_eq!(find(program, files, &[], true).as_deref(), expected);
}

#[test]
fn the_project_goes_before_the_path_where_it_may() {
    let files = [
        ("/usr/bin/pyright", "#!"),
        ("/w/node_modules/.bin/pyright", "#!"),
        ("/w/p/.venv/pyvenv.cfg", ""),
        ("/w/p/.venv/bin/pyright", "#!"),
    ];
    check("pyright", &files, Some("/w/p/.venv/bin/pyright"));
    check("pyright", &files[..2], Some("/w/node_modules/.bin/pyright"));
    check("pyright", &files[..1], Some("/usr/bin/pyright"));
    assert_eq!(find("pyright", &files, &[], false).as_deref(), Some("/usr/bin/pyright"));
    // No environment, no program, another workspace, a folder that is not whole.
    check("pyright", &[("/w/p/.venv/bin/pyright", "#!")], None);
    check("pyright", &[("/usr/bin/pyright", "text")], None);
    check("pyright", &[("/x/node_modules/.bin/pyright", "#!"), ("/node_modules/.bin/pyright", "#!")], None);
    check("pyright", &[("relative/pyright", "#!")], None);
    // A folder of PATH that is in the project is the project's.
    assert_eq!(find("pyright", &[("/w/bin/pyright", "#!")], &[], false), None);
    check("pyright", &[("/w/bin/pyright", "#!")], Some("/w/bin/pyright"));
    let active = [("/e/bin/pyright", "#!"), ("/usr/bin/pyright", "#!")];
    assert_eq!(find("pyright", &active, &[("VIRTUAL_ENV", "/e")], false).as_deref(), Some("/e/bin/pyright"));
}

#[test]
fn environments_that_lie_elsewhere_are_found_by_the_place_of_the_project() {
    let poetry = "/home/.cache/pypoetry/virtualenvs/p-YVO8IFcX-py3.12";
    let program = format!("{poetry}/bin/pyright");
    let (program, config) = ((&*program, "#!"), format!("{poetry}/pyvenv.cfg"));
    let other = ("/home/.cache/pypoetry/virtualenvs/p-0buMo1Rn-py3.13/bin/pyright", "#!");
    check("pyright", &[("/w/p/poetry.lock", ""), program, (&*config, ""), other], Some(program.0));
    check("pyright", &[program, (&*config, ""), other], None);
    let pipenv = ("/data/virtualenvs/p-X_dHJUch/bin/pyright", "#!");
    let files = [("/w/p/Pipfile", ""), pipenv, ("/data/virtualenvs/p-X_dHJUch/pyvenv.cfg", "")];
    let found = |in_project| find("pyright", &files, &[("XDG_DATA_HOME", "/data")], in_project);
    assert_eq!((found(true).as_deref(), found(false)), (Some(pipenv.0), None));
    let uv = [("/w/uv.lock", ""), ("/w/own/pyvenv.cfg", ""), ("/w/own/bin/pyright", "#!")];
    let found = find("pyright", &uv, &[("UV_PROJECT_ENVIRONMENT", "own")], true);
    assert_eq!(found.as_deref(), Some("/w/own/bin/pyright"));
}

#[test]
fn a_proxy_of_rustup_without_its_component_is_missing() {
    let proxy = ("/home/.cargo/bin/rust-analyzer", "-> rustup");
    let rustup = ("/home/.cargo/bin/rustup", "#!");
    let settings = (
        "/home/.rustup/settings.toml",
        "version = \"12\"\ndefault_toolchain = \"stable-x86_64-linux\" # c\n",
    );
    let stable = ("/home/.rustup/toolchains/stable-x86_64-linux/bin/cargo", "#!");
    let with = ("/home/.rustup/toolchains/stable-x86_64-linux/bin/rust-analyzer", "#!");
    let found = Some("/home/.cargo/bin/rust-analyzer");
    check("rust-analyzer", &[proxy, rustup, settings, stable], None);
    check("rust-analyzer", &[proxy, rustup, settings, stable, with], found);
    // Another one further on is found.
    check(
        "rust-analyzer",
        &[proxy, rustup, stable, ("/usr/bin/rust-analyzer", "#!")],
        Some("/usr/bin/rust-analyzer"),
    );
    // A copy instead of a link.
    check("rust-analyzer", &[(proxy.0, "#!"), rustup, settings, stable], None);
    // What the project or the environment wants.
    let wants = ("/w/rust-toolchain.toml", "[toolchain]\nchannel = \"1.90\"\n");
    check("rust-analyzer", &[proxy, rustup, settings, stable, with, wants], None);
    let old = ("/home/.rustup/toolchains/1.90-x86_64-linux/bin/rust-analyzer", "#!");
    check("rust-analyzer", &[proxy, rustup, settings, stable, wants, old], found);
    check("rust-analyzer", &[proxy, rustup, settings, stable, ("/w/rust-toolchain", "1.90\n"), old], found);
    let all = [proxy, rustup, settings, stable, old];
    let chosen = find("rust-analyzer", &all, &[("RUSTUP_TOOLCHAIN", "1.90")], true);
    assert_eq!(chosen.as_deref(), found);
    let overrides = (
        "/home/.rustup/settings.toml",
        "default_toolchain = \"stable\"\n\n[overrides]\n\"/w\" = \"1.90-x86_64-linux\"\n",
    );
    check("rust-analyzer", &[proxy, rustup, overrides, stable, old], found);
    // What cargo installed beside them is no proxy.
    check("texlab", &[("/home/.cargo/bin/texlab", "#!"), rustup], Some("/home/.cargo/bin/texlab"));
}

#[test]
fn shims_of_other_managers_are_looked_behind() {
    let shim = ("/home/.pyenv/shims/pyright", "#!");
    let version = ("/home/.pyenv/version", "3.12\n");
    check("pyright", &[shim, version, ("/home/.pyenv/versions/3.12.1/bin/python", "#!")], None);
    let with = ("/home/.pyenv/versions/3.12.1/bin/pyright", "#!");
    check("pyright", &[shim, version, with], Some(shim.0));
    check("pyright", &[shim, version, with, ("/w/.python-version", "3.11.2")], None);

    let shim = ("/home/.asdf/shims/gopls", "#!/bin/sh\n# asdf-plugin: golang 1.24\nexec asdf");
    let install = ("/home/.asdf/installs/golang/1.24/bin/go", "#!");
    check("gopls", &[shim, install], None);
    check("gopls", &[shim, install, ("/w/.tool-versions", "nodejs 20\ngolang 1.24\n")], Some(shim.0));
    check("gopls", &[shim, install, ("/home/.tool-versions", "golang 1.25\n")], None);

    let shim = ("/home/.volta/bin/tsc", "-> volta-shim");
    let volta = ("/home/.volta/bin/volta-shim", "#!");
    check("tsc", &[shim, volta], None);
    check("tsc", &[shim, volta, ("/home/.volta/tools/user/bins/tsc.json", "{}")], Some(shim.0));
}

#[test]
fn what_is_configured_is_that_or_missing() {
    let view =
        MemoryView::new(&[("/w/tools/ls", "#!"), ("/home/ls", "#!"), ("/usr/bin/ls", "#!"), ("/w/text", "")]);
    let environment = vec![("PATH".into(), "/usr/bin".into())];
    let search = ProgramSearch::new(Arc::new(view), environment, "/home".into(), false);
    let find = |program: &str| {
        let command = [program.to_owned()];
        match search.find_configured(&command, Path::new("/w/p"), Path::new("/w")) {
            ProgramLookup::Found { command, place: ProgramOrigin::Configured } => {
                command[0].to_str().unwrap().to_owned()
            }
            ProgramLookup::Found { .. } => panic!("not as configured"),
            ProgramLookup::Missing { hint } => hint,
        }
    };
    assert_eq!(
        find("tools/ls"),
        "/w/tools/ls lies in the project, whose programs are not run (`diagnostics.project_programs`)"
    );
    assert_eq!(find("~/ls"), "/home/ls");
    assert_eq!(find("ls"), "/usr/bin/ls");
    assert_eq!(find("/w/text"), "/w/text, which the configuration names, cannot be run");
    assert_eq!(find("none"), "`none`, which the configuration names, is not in PATH");
}

/// What a clone brings under the name of a program that no package manager puts there is not that program.
#[test]
fn a_project_has_only_the_programs_that_its_package_managers_make() {
    let all = |program: &str| {
        let places = ["/w/node_modules/.bin", "/w/p/.venv/bin", "/w/vendor/bin"];
        let files: Vec<_> = places.iter().map(|place| format!("{place}/{program}")).collect();
        let mut files: Vec<_> = files.iter().map(|file| (&**file, "#!")).collect();
        files.push(("/w/p/.venv/pyvenv.cfg", ""));
        find(program, &files, &[], true)
    };
    for program in ["clangd", "rust-analyzer", "gopls", "deno", "go", "cargo", "gofmt", "node", "mine"] {
        assert_eq!(all(program), None, "{program}");
    }
    assert_eq!(all("vtsls").as_deref(), Some("/w/node_modules/.bin/vtsls"));
    assert_eq!(all("eslint").as_deref(), Some("/w/node_modules/.bin/eslint"));
    assert_eq!(all("ruff").as_deref(), Some("/w/p/.venv/bin/ruff"));
    assert_eq!(all("phpactor").as_deref(), Some("/w/vendor/bin/phpactor"));
}

#[test]
fn where_the_programs_of_a_project_are_not_run_no_link_and_no_variable_leads_there() {
    let off = |files: &[(&str, &str)], variables: &[(&str, &str)]| find("pyright", files, variables, false);
    assert_eq!(off(&[("/w/e/bin/pyright", "#!")], &[("VIRTUAL_ENV", "/w/e")]), None);
    assert_eq!(off(&[("/usr/bin/pyright", "-> /w/x"), ("/w/x", "#!")], &[]), None);
    let files = [
        ("/w/e/bin/python", "#!"),
        ("/w/.venv/pyvenv.cfg", ""),
        ("/w/.venv/bin/python", "#!"),
        ("/w/node_modules/typescript/lib/tsserver.js", ""),
    ];
    let known = |folder: &str, in_project| {
        let environment = vec![("VIRTUAL_ENV".into(), "/w/e".into())];
        let search =
            ProgramSearch::new(Arc::new(MemoryView::new(&files)), environment, "/home".into(), in_project);
        let (folder, root) = (Path::new(folder), Path::new("/w"));
        (python(&search, folder, root).is_some(), tsdk(&search, folder, root).is_some())
    };
    assert_eq!((known("/w/p", true), known("/w/p", false)), ((true, true), (false, false)));
}

/// A folder that everybody may write to is not a project because a file of it is looked at.
#[test]
fn beside_a_file_that_lies_outside_of_the_workspace_nothing_is_looked_for() {
    let files = [
        ("/tmp/node_modules/.bin/eslint", "#!"),
        ("/tmp/node_modules/typescript/lib/tsserver.js", ""),
        ("/tmp/.venv/pyvenv.cfg", ""),
        ("/tmp/.venv/bin/python", "#!"),
    ];
    let search = ProgramSearch::new(Arc::new(MemoryView::new(&files)), Vec::new(), "/home".into(), true);
    let (folder, root) = (Path::new("/tmp"), Path::new("/w"));
    assert_eq!(search.find_in_project(&["eslint".to_owned()], folder, root), None);
    assert_eq!((python(&search, folder, root), tsdk(&search, folder, root)), (None, None));
}

/// A checker or formatter of which nothing is known, by its bare name.
#[test]
fn a_name_that_a_user_wrote_is_found_in_the_project_if_it_is_nowhere_else() {
    let find = |program: &str, files: &[(&str, &str)], in_project: bool| {
        let environment = vec![("PATH".into(), "/usr/bin".into())];
        let search =
            ProgramSearch::new(Arc::new(MemoryView::new(files)), environment, "/home".into(), in_project);
        match search.find_configured(&[program.to_owned()], Path::new("/w/p"), Path::new("/w")) {
            ProgramLookup::Found { command, .. } => command[0].to_str().unwrap().to_owned(),
            ProgramLookup::Missing { hint } => hint,
        }
    };
    let missing = "`my-lint`, which the configuration names, is not in PATH";
    for place in ["/w/node_modules/.bin/my-lint", "/w/p/vendor/bin/my-lint", "/w/.venv/bin/my-lint"] {
        let files = [(place, "#!"), ("/w/.venv/pyvenv.cfg", "")];
        assert_eq!(find("my-lint", &files, true), place);
        assert_eq!(find("my-lint", &files, false), missing);
    }
    let both = [("/w/node_modules/.bin/my-lint", "#!"), ("/usr/bin/my-lint", "#!")];
    assert_eq!(find("my-lint", &both, true), "/usr/bin/my-lint", "a repository can bring any name");
    assert_eq!(find("my-lint", &[("/x/node_modules/.bin/my-lint", "#!")], true), missing);
    // Of this it is known that npm does not make it.
    let known = [("/w/node_modules/.bin/black", "#!")];
    assert_eq!(find("black", &known, true), "`black`, which the configuration names, is not in PATH");
}
