/**
 * Languages of code blocks: the display name in `data-code-language` (clients compare it with the language of a
 * playground), the names that fences use, and the grammar for highlighting.
 */

/**
 * Code languages by display name: grammar of highlight.js ('' = none), and names in fences, which include file
 * extensions.
 */
const CODE_LANGUAGES_BY_DISPLAY_NAME: Readonly<Record<string, readonly [grammar: string, names: string]>> = {
  Ada: ['ada', 'ada ada95 ada2005'],
  Arduino: ['arduino', 'arduino'],
  'ASP.NET': ['', 'aspx-cs aspx-vb'],
  Awk: ['awk', 'awk gawk mawk nawk'],
  Bash: ['bash', 'bash sh ksh zsh shell'],
  'Bash Session': ['shell', 'console shell-session'],
  Batchfile: ['dos', 'bat batch dosbatch winbatch'],
  BibTeX: ['', 'bibtex bib'],
  C: ['c', 'c'],
  'C#': ['csharp', 'c# csharp cs'],
  'C++': ['cpp', 'c++ cpp'],
  Clojure: ['clojure', 'clojure clj'],
  CMake: ['cmake', 'cmake'],
  COBOL: ['', 'cobol'],
  CoffeeScript: ['coffeescript', 'coffeescript coffee-script coffee'],
  'Common Lisp': ['lisp', 'common-lisp cl lisp'],
  Coq: ['coq', 'coq'],
  Crystal: ['crystal', 'crystal cr'],
  CSS: ['css', 'css'],
  D: ['d', 'd'],
  Dart: ['dart', 'dart'],
  Delphi: ['delphi', 'delphi pas pascal objectpascal'],
  Diff: ['diff', 'diff udiff'],
  'Django/Jinja': ['django', 'django jinja'],
  Docker: ['dockerfile', 'docker dockerfile'],
  Elixir: ['elixir', 'elixir ex exs'],
  Elm: ['elm', 'elm'],
  EmacsLisp: ['lisp', 'emacs-lisp elisp emacs'],
  Erlang: ['erlang', 'erlang'],
  'F#': ['fsharp', 'fsharp f#'],
  Fortran: ['fortran', 'fortran f90'],
  Gherkin: ['gherkin', 'gherkin cucumber'],
  GLSL: ['glsl', 'glsl'],
  Go: ['go', 'go golang'],
  GraphQL: ['graphql', 'graphql'],
  Groovy: ['groovy', 'groovy'],
  Haml: ['haml', 'haml'],
  Haskell: ['haskell', 'haskell hs'],
  HTML: ['xml', 'html'],
  HTTP: ['http', 'http'],
  INI: ['ini', 'ini cfg dosini'],
  Java: ['java', 'java'],
  JavaScript: ['javascript', 'javascript js'],
  JSON: ['json', 'json json-object'],
  Julia: ['julia', 'julia jl'],
  Kotlin: ['kotlin', 'kotlin'],
  Less: ['less', 'less'],
  LLVM: ['llvm', 'llvm'],
  Lua: ['lua', 'lua'],
  Makefile: ['makefile', 'make makefile mf bsdmake'],
  Markdown: ['markdown', 'markdown md'],
  Mathematica: ['', 'mathematica mma nb'],
  Matlab: ['matlab', 'matlab'],
  NASM: ['x86asm', 'nasm'],
  'Nginx configuration file': ['nginx', 'nginx'],
  Nim: ['nim', 'nim nimrod'],
  Nix: ['nix', 'nixos nix'],
  'Objective-C': ['objectivec', 'objective-c objectivec obj-c objc'],
  OCaml: ['ocaml', 'ocaml'],
  Perl: ['perl', 'perl pl'],
  PHP: ['php', 'php php3 php4 php5'],
  PostScript: ['', 'postscript postscr'],
  'PostgreSQL SQL dialect': ['sql', 'postgresql postgres'],
  PowerShell: ['powershell', 'powershell pwsh posh ps1 psm1'],
  Prolog: ['prolog', 'prolog'],
  Properties: ['properties', 'properties jproperties'],
  'Protocol Buffer': ['protobuf', 'protobuf proto'],
  Puppet: ['puppet', 'puppet'],
  Python: ['python', 'python py sage python3 py3 bazel starlark pyi'],
  'Python 2.x': ['python', 'python2 py2'],
  'Python console session': ['python-repl', 'pycon'],
  'Python Traceback': ['', 'pytb py3tb'],
  QML: ['qml', 'qml qbs'],
  Racket: ['scheme', 'racket rkt'],
  reStructuredText: ['', 'restructuredtext rst rest'],
  Ruby: ['ruby', 'ruby rb duby'],
  Rust: ['rust', 'rust rs'],
  S: ['r', 'splus s r'],
  Sass: ['', 'sass'],
  Scala: ['scala', 'scala'],
  Scheme: ['scheme', 'scheme scm'],
  SCSS: ['scss', 'scss'],
  Smalltalk: ['smalltalk', 'smalltalk squeak st'],
  Solidity: ['', 'solidity'],
  SQL: ['sql', 'sql'],
  'Standard ML': ['sml', 'sml'],
  Swift: ['swift', 'swift'],
  Tcl: ['tcl', 'tcl'],
  Terraform: ['', 'terraform tf hcl'],
  TeX: ['latex', 'tex latex'],
  'Text only': ['', 'text'],
  TOML: ['ini', 'toml'],
  TypeScript: ['typescript', 'typescript ts'],
  'VB.net': ['vbnet', 'vb.net vbnet'],
  verilog: ['verilog', 'verilog v'],
  vhdl: ['vhdl', 'vhdl'],
  VimL: ['vim', 'vim'],
  WebAssembly: ['', 'wast wat'],
  XML: ['xml', 'xml'],
  YAML: ['yaml', 'yaml'],
  Zig: ['', 'zig'],
};

interface CodeLanguage {
  readonly display: string;
  /** Grammar of highlight.js for the language; '' = no highlighting. */
  readonly grammar: string;
}

const codeLanguageByFenceName = new Map<string, CodeLanguage>();
for (const [display, [grammar, names]] of Object.entries(CODE_LANGUAGES_BY_DISPLAY_NAME)) {
  for (const name of names.split(' ')) codeLanguageByFenceName.set(name, { display, grammar });
}

/** All names of languages that code fences may use. */
export const listFenceLanguageNames = (): readonly string[] => [...codeLanguageByFenceName.keys()];

/** Finds a code language by one of its names in fences. @param name lower case */
export const findCodeLanguageByFenceName = (name: string): CodeLanguage | undefined =>
  codeLanguageByFenceName.get(name);
