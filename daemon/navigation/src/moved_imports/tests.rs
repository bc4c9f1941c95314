//! Before / move / after.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{ImportingFile, PathMove, import_edits};

/// What becomes of a text in `file`, if one of the `files` moves.
fn after(files: &[&str], file: &str, text: &str, (from, to): (&str, &str)) -> String {
    let root = Path::new("/w");
    let there: BTreeSet<PathBuf> = files
        .iter()
        .chain([&file])
        .flat_map(|file| root.join(file).ancestors().map(Path::to_owned).collect::<Vec<_>>())
        .collect();
    let moved = PathMove { from: root.join(from), to: root.join(to) };
    let path = root.join(file);
    let found = import_edits(&ImportingFile { path: &path, text }, &moved, &|path| there.contains(path));
    let mut new = text.to_owned();
    for (range, replacement) in found.edits.iter().rev() {
        new.replace_range(range.clone(), replacement);
    }
    match found.left {
        0 => new,
        left => format!("{left} left: {new}"),
    }
}

#[test]
fn includes() {
    let files = ["src/a.h", "src/util/b.h", "include/lib/c.h", "include/lib/d.h"];
    for (file, text, moved, expected) in [
        ("src/main.c", "#include \"a.h\"\n", ("src/a.h", "src/util/z.h"), "#include \"util/z.h\"\n"),
        (
            "src/util/x.c",
            "# include \"../a.h\" // why\n",
            ("src/a.h", "src/z.h"),
            "# include \"../z.h\" // why\n",
        ),
        // From the search path.
        (
            "src/main.c",
            "#include <lib/c.h>\n",
            ("include/lib/c.h", "include/lib/e.h"),
            "#include <lib/e.h>\n",
        ),
        ("src/main.c", "#include \"lib/c.h\"\n", ("include/lib", "include/core"), "#include \"core/c.h\"\n"),
        // It is no longer in the folder where the path begins.
        (
            "src/main.c",
            "#include <lib/c.h>\n",
            ("include/lib/c.h", "src/c.h"),
            "1 left: #include <lib/c.h>\n",
        ),
        // The including file moves.
        (
            "src/main.c",
            "#include \"a.h\"\n#include <stdio.h>\n",
            ("src/main.c", "app/main.c"),
            "#include \"../src/a.h\"\n#include <stdio.h>\n",
        ),
        // Both move.
        ("src/main.c", "#include \"a.h\"\n", ("src", "code"), "#include \"a.h\"\n"),
        // Others of the same name.
        ("src/util/x.c", "#include \"b.h\"\n", ("src/a.h", "src/b.h"), "#include \"b.h\"\n"),
        (
            "include/lib/x.c",
            "#include \"c.h\"\nint a; // a.h\n",
            ("src/a.h", "src/b.h"),
            "#include \"c.h\"\nint a; // a.h\n",
        ),
    ] {
        assert_eq!(after(&files, file, text, moved), expected, "{file}: {text}");
    }
}

#[test]
fn python_modules() {
    let files = [
        "shapes.py",
        "pkg/__init__.py",
        "pkg/mod.py",
        "pkg/other.py",
        "pkg/sub/__init__.py",
        "pkg/sub/deep.py",
    ];
    for (file, text, moved, expected) in [
        // A module of the first level.
        (
            "main.py",
            "import shapes\nprint(shapes.unit(), x.shapes, f(shapes=1))\n",
            ("shapes.py", "forms.py"),
            "import forms\nprint(forms.unit(), x.shapes, f(shapes=1))\n",
        ),
        (
            "main.py",
            "import shapes\nmodule = shapes\n",
            ("shapes.py", "forms.py"),
            "import forms as shapes\nmodule = shapes\n",
        ),
        (
            "main.py",
            "import os, shapes as s\ns.unit()\n",
            ("shapes.py", "forms.py"),
            "import os, forms as s\ns.unit()\n",
        ),
        (
            "main.py",
            "from shapes import unit\n",
            ("shapes.py", "pkg/forms.py"),
            "from pkg.forms import unit\n",
        ),
        // In a package.
        (
            "main.py",
            "import pkg.mod\npkg.mod.f()\npkg.other.g()\n",
            ("pkg/mod.py", "pkg/sub/mod.py"),
            "import pkg.sub.mod\npkg.sub.mod.f()\npkg.other.g()\n",
        ),
        (
            "main.py",
            "from pkg.mod import f as g\n",
            ("pkg/mod.py", "pkg/new.py"),
            "from pkg.new import f as g\n",
        ),
        (
            "main.py",
            "from pkg import mod\nmod.f()\n",
            ("pkg/mod.py", "pkg/new.py"),
            "from pkg import new\nnew.f()\n",
        ),
        (
            "main.py",
            "from pkg import mod, other\nf(mod)\n",
            ("pkg/mod.py", "pkg/new.py"),
            "from pkg import new as mod, other\nf(mod)\n",
        ),
        ("main.py", "from pkg import mod\nmod.f()\n", ("pkg/mod.py", "new.py"), "import new\nnew.f()\n"),
        (
            "main.py",
            "from pkg import other, mod\nmod.f()\n",
            ("pkg/mod.py", "new.py"),
            "import new\nfrom pkg import other\nnew.f()\n",
        ),
        (
            "main.py",
            "if x:\n    from pkg import (other, mod)\n    mod.f()\n",
            ("pkg/mod.py", "pkg/sub/mod.py"),
            "if x:\n    from pkg.sub import mod\n    from pkg import (other)\n    mod.f()\n",
        ),
        // A package.
        (
            "main.py",
            "import pkg.sub.deep\nfrom pkg.sub import deep\npkg.sub.deep.f()\n",
            ("pkg/sub", "pkg/low"),
            "import pkg.low.deep\nfrom pkg.low import deep\npkg.low.deep.f()\n",
        ),
        // Relative.
        (
            "pkg/other.py",
            "from . import mod\nfrom .mod import f\nmod.f()\n",
            ("pkg/mod.py", "pkg/sub/mod.py"),
            "from .sub import mod\nfrom .sub.mod import f\nmod.f()\n",
        ),
        (
            "pkg/sub/deep.py",
            "from ..mod import f\nfrom ..sub import x\n",
            ("pkg/mod.py", "pkg/new.py"),
            "from ..new import f\nfrom ..sub import x\n",
        ),
        // The importing file moves.
        (
            "pkg/mod.py",
            "from .other import f\nimport os\n",
            ("pkg/mod.py", "pkg/sub/mod.py"),
            "from ..other import f\nimport os\n",
        ),
        (
            "pkg/sub/deep.py",
            "from ..mod import f\nfrom . import x\n",
            ("pkg/sub", "low"),
            "from ..pkg.mod import f\nfrom . import x\n",
        ),
        // Something else of that name.
        (
            "main.py",
            "import mod\nfrom other import shapes\n",
            ("pkg/mod.py", "pkg/new.py"),
            "import mod\nfrom other import shapes\n",
        ),
        ("main.py", "from pkg.mod import f\n", ("pkg/__init__.py", "pkg/new.py"), "from pkg.mod import f\n"),
        ("main.py", "import shapes\n", ("shapes.py", "new-forms.py"), "1 left: import shapes\n"),
    ] {
        assert_eq!(after(&files, file, text, moved), expected, "{file}: {text}");
    }
}
