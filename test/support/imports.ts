/**
 * Import graph of the source tree, parsed from the source text: the symbols that each file imports from each other
 * file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  readonly from: string;
  /** Module specifier as written in the source. */
  readonly specifier: string;
  /** Imported symbols; empty for side-effect imports and `export *`. */
  readonly names: readonly string[];
  /** Files that define the symbols, resolved through `index.ts` files. */
  readonly to: readonly string[];
}

interface Statement {
  readonly reexport: boolean;
  /** Whether it is an `import('…')` expression. */
  readonly inline: boolean;
  readonly specifier: string;
  /** Local name by original name. */
  readonly names: ReadonlyMap<string, string>;
}

interface Module {
  readonly statements: readonly Statement[];
  readonly declared: ReadonlySet<string>;
  readonly types: readonly string[];
  readonly lines: number;
  readonly augments: boolean;
}

const STATEMENT =
  /^(import|export)\s+(?:type\s+)?(?:(\*\s+as\s+\w+|\*|\w+)\s+from\s+|(?:\w+,\s*)?\{([^}]*)\}\s*from\s+)?'([^']+)'/gm;
const INLINE = /\bimport\('(\.[^']+|#[^']+)'\)(?:\.(\w+))?/g;
const DECLARED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(interface|type|class|enum|function\*?|const|let)\s+(\w+)/gm;

function parse(text: string): Module {
  const statements: Statement[] = [];
  for (const [, keyword, , list, specifier] of text.matchAll(STATEMENT)) {
    const names = (list ?? '').split(',').map((part) => /(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(part.trim()));
    const known = names.filter((match) => match !== null).map((m) => [m[1]!, m[2] ?? m[1]!] as const);
    statements.push({ reexport: keyword === 'export', inline: false, specifier: specifier!, names: new Map(known) });
  }
  for (const [, specifier, name] of text.matchAll(INLINE)) {
    statements.push({
      reexport: false,
      inline: true,
      specifier: specifier!,
      names: new Map(name ? [[name, name]] : []),
    });
  }
  const declarations = [...text.matchAll(DECLARED)];
  return {
    statements,
    declared: new Set(declarations.map(([, , name]) => name!)),
    types: declarations.filter(([, kind]) => /interface|type|class/.test(kind!)).map(([, , name]) => name!),
    lines: text.split('\n').length - 1,
    augments: /^declare module '[.#]/m.test(text),
  };
}

export class SourceTree {
  readonly modules = new Map<string, Module>();

  constructor(...folders: readonly string[]) {
    for (const folder of folders) {
      for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        if (path.endsWith('.ts') && !path.endsWith('.d.ts')) this.modules.set(path, parse(readFileSync(path, 'utf8')));
      }
    }
  }

  /** Path of the imported file; undefined for packages. */
  resolve(from: string, specifier: string): string | undefined {
    if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts');
    if (specifier.startsWith('#actors/')) return `${specifier.slice(1)}/index.ts`;
    return specifier.startsWith('#') ? `src/${specifier.slice(1)}/index.ts` : undefined;
  }

  /** Finds the file that declares a symbol, through re-exports. */
  definition(file: string, name: string, seen = new Set<string>()): string | undefined {
    const module = this.modules.get(file);
    if (!module || seen.has(file)) return undefined;
    seen.add(file);
    if (module.declared.has(name)) return file;
    for (const { reexport, specifier, names } of module.statements) {
      if (!reexport) continue;
      const target = this.resolve(file, specifier);
      if (target === undefined) continue;
      const original = names.size === 0 ? name : [...names].find(([, as]) => as === name)?.[0];
      const found = original === undefined ? undefined : this.definition(target, original, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Imports between files of the tree. Imports by `index.ts` files are left out: they only re-export. */
  imports(): Import[] {
    const found: Import[] = [];
    for (const [from, { statements }] of this.modules) {
      if (from.endsWith('/index.ts')) continue;
      for (const { specifier, names } of statements) {
        const target = this.resolve(from, specifier);
        if (target === undefined) continue;
        const to =
          names.size === 0 ? [target] : [...names.keys()].map((name) => this.definition(target, name) ?? target);
        found.push({ from, specifier, names: [...names.keys()], to });
      }
    }
    return found;
  }
}

/** Groups of files that import each other in a cycle, directly or through others. */
export function circles(imports: readonly Import[]): string[][] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const out = edges.get(from) ?? new Set();
    edges.set(from, out);
    for (const file of to) if (file !== from) out.add(file);
  }
  // Tarjan's strongly connected components.
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) groups.push(group.sort());
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return groups;
}
