/** Languages that are offered after ``` and ~~~: blocks of this dialect first, then the ones that people write most. */
export const SUGGESTED_CODE_BLOCK_LANGUAGES: readonly string[] =
  'quote spoiler math text python javascript typescript bash c cpp csharp css diff dockerfile elixir erlang go graphql haskell html ini java json julia kotlin latex lua makefile markdown matlab nix objectivec ocaml perl php powershell r ruby rust scala scss sql swift toml vb xml yaml zig'.split(
    ' ',
  );
