import ts from 'typescript';

/** What a module takes from another at run time; imports of types are left out. */
export interface ValueImport {
  readonly specifier: string;
  /** The names that the other module gives; `all` for a namespace, a side effect and `import()`. */
  readonly names: readonly string[] | 'all';
  /** The names under which it is passed on, in the same order; absent for an import. */
  readonly exportedAs?: readonly string[] | 'all';
}

export function valueImports(file: string, text: string): readonly ValueImport[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const found = source.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) return importOf(statement);
    return ts.isExportDeclaration(statement) ? exportOf(statement) : [];
  });
  const lazy = [...text.matchAll(/\bimport\('([^']+)'\)/g)];
  return [...found, ...lazy.map(([, specifier = '']) => ({ specifier, names: 'all' as const }))];
}

function importOf({ importClause, moduleSpecifier }: ts.ImportDeclaration): readonly ValueImport[] {
  const specifier = textOf(moduleSpecifier);
  if (importClause === undefined) return [{ specifier, names: 'all' }];
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const { name, namedBindings } = importClause;
  if (namedBindings !== undefined && ts.isNamespaceImport(namedBindings))
    return [{ specifier, names: 'all' }];
  const elements = (namedBindings?.elements ?? []).filter(({ isTypeOnly }) => !isTypeOnly);
  const names = [...(name === undefined ? [] : ['default']), ...elements.map(originalName)];
  return names.length === 0 ? [] : [{ specifier, names }];
}

function exportOf({
  exportClause,
  isTypeOnly,
  moduleSpecifier,
}: ts.ExportDeclaration): readonly ValueImport[] {
  if (moduleSpecifier === undefined || isTypeOnly) return [];
  const specifier = textOf(moduleSpecifier);
  if (exportClause === undefined || ts.isNamespaceExport(exportClause)) {
    return [{ specifier, names: 'all', exportedAs: 'all' }];
  }
  const elements = exportClause.elements.filter((element) => !element.isTypeOnly);
  if (elements.length === 0) return [];
  return [
    { specifier, names: elements.map(originalName), exportedAs: elements.map(({ name }) => name.text) },
  ];
}

function originalName({ propertyName, name }: ts.ImportSpecifier | ts.ExportSpecifier): string {
  return (propertyName ?? name).text;
}

function textOf(specifier: ts.Expression): string {
  return ts.isStringLiteral(specifier) ? specifier.text : '';
}
