import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { configJsonSchema } from '../../src/config/index.js';

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
}

/** Interfaces of which a union is made, in the order of its schema. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  LengthPenaltyConfig: ['SoftOverlongConfig', 'LinearLengthConfig'],
};

/** Comment and type of each field of each interface of types.ts. */
function interfaces(): ReadonlyMap<string, readonly { name: string; comment: string; type: string }[]> {
  const text = readFileSync(new URL('../../src/config/types.ts', import.meta.url), 'utf8');
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2022, true);
  const declarations = source.statements.filter(ts.isInterfaceDeclaration);
  return new Map(
    declarations.map((declaration) => [
      declaration.name.text,
      declaration.members.filter(ts.isPropertySignature).map((member) => ({
        name: member.name.getText(),
        comment: ts
          .getJSDocCommentsAndTags(member)
          .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
          .join(' ')
          .replace(/\s+/g, ' '),
        type: member.type?.getText() ?? '',
      })),
    ]),
  );
}

test('the description of every field is its comment in types.ts', () => {
  const byName = interfaces();
  const compare = (name: string, node: Node): void => {
    const kinds = KINDS[name];
    if (kinds !== undefined) {
      const choices = (node.anyOf ?? []).filter((choice) => choice.properties !== undefined);
      expect(choices).toHaveLength(kinds.length);
      kinds.forEach((kind, k) => {
        compare(kind, choices[k] ?? {});
      });
      return;
    }
    const object = [node, ...(node.anyOf ?? [])].find((choice) => choice.properties !== undefined);
    const fields = byName.get(name) ?? [];
    expect(Object.keys(object?.properties ?? {}).filter((key) => key !== '$schema')).toEqual(
      fields.map((field) => field.name),
    );
    for (const { name: key, comment, type } of fields) {
      const child = object?.properties?.[key] ?? {};
      expect(child.description, `${name}.${key}`).toBe(comment);
      const inner = /\b(\w+Config|StopCondition|PluginReference)\b/.exec(type)?.[1];
      if (inner !== undefined) compare(inner, child.items ?? child);
    }
  };
  compare('RllmConfig', configJsonSchema() as Node);
});
