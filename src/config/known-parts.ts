import type { Json } from '../types/index.js';

/** A name that a config may give, with the JSON Schema of the options that go with it, where there is one. */
export interface KnownPart {
  readonly name: string;
  readonly options?: Json | undefined;
}

/** What an app can choose from, by kind. */
export interface KnownParts {
  readonly estimators?: readonly KnownPart[];
  readonly groupingHooks?: readonly KnownPart[];
  readonly backends?: readonly KnownPart[];
  readonly workflows?: readonly KnownPart[];
  readonly rewards?: readonly KnownPart[];
  readonly datasets?: readonly KnownPart[];
  readonly trackers?: readonly KnownPart[];
  readonly plugins?: readonly KnownPart[];
}

/** A JSON Schema that is written to. */
interface Node {
  properties?: { [name: string]: Node };
  items?: Node;
  anyOf?: Node[];
  allOf?: Node[];
  [keyword: string]: unknown;
}

/**
 * Tells the schema of a config the parts that are known. Their names become suggestions, and any other name stays allowed; options
 * that stand under a known name, or beside it, are checked.
 *
 * @param root  JSON Schema of a config; changed in place.
 */
export function nameParts(root: Node, known: KnownParts): void {
  const algorithm = at(root, 'algorithm');
  suggest(at(algorithm, 'estimator'), known.estimators);
  suggest(at(algorithm, 'estimatorMap')['additionalProperties'] as Node, known.estimators);
  describeByName(at(algorithm, 'estimatorOptions'), known.estimators);
  const transform = at(root, 'transform');
  suggest(at(transform, 'groupingHook'), known.groupingHooks);
  describeByName(at(transform, 'groupingOptions'), known.groupingHooks);
  const backend = objectOf(at(root, 'backend'));
  suggest(at(backend, 'name'), known.backends);
  suggest(bareNameOf(at(root, 'backend')), known.backends);
  describeByName(at(backend, 'options'), known.backends);
  describeUse(at(root, 'workflow'), known.workflows);
  for (const [list, parts] of [
    [at(root, 'plugins'), known.plugins],
    [at(at(root, 'reward'), 'functions'), known.rewards],
  ] as const) {
    const item = list.items ?? {};
    suggest(bareNameOf(item), parts);
    describeUse(objectOf(item), parts);
  }
  for (const field of ['train', 'val']) describeUse(objectOf(at(at(root, 'data'), field)), known.datasets);
  suggest(at(at(root, 'tracking'), 'trackers').items ?? {}, known.trackers);
}

function at(node: Node, field: string): Node {
  return node.properties?.[field] ?? {};
}

/** Of a value with a shorthand: what it is in full. */
function objectOf(node: Node): Node {
  return choicesOf(node).find(({ properties }) => properties !== undefined) ?? {};
}

/** Of a value with a shorthand: the bare name. */
function bareNameOf(node: Node): Node {
  return choicesOf(node).find(({ type }) => type === 'string') ?? {};
}

function choicesOf(node: Node): readonly Node[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(choicesOf);
}

/** Names to complete, beside any other text. */
function suggest(node: Node, parts: readonly KnownPart[] = []): void {
  if (parts.length === 0) return;
  const { type, minLength, pattern, ...rest } = node;
  for (const key of Object.keys(node)) delete node[key];
  const text = JSON.parse(JSON.stringify({ type: type ?? 'string', minLength, pattern })) as Node;
  Object.assign(node, rest, { anyOf: [{ enum: parts.map(({ name }) => name) }, text] });
}

/** Options that stand under the name of their part. */
function describeByName(node: Node, parts: readonly KnownPart[] = []): void {
  const described = parts.flatMap(({ name, options }) => (options === undefined ? [] : [[name, options]]));
  if (described.length > 0) node.properties = Object.fromEntries(described);
}

/** Options that stand beside `use`. */
function describeUse(node: Node, parts: readonly KnownPart[] = []): void {
  suggest(at(node, 'use'), parts);
  const rules = parts.flatMap(({ name, options }): Node[] => {
    if (options === undefined) return [];
    return [
      {
        if: { properties: { use: { const: name } }, required: ['use'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { options: options as Node } },
      },
    ];
  });
  if (rules.length > 0) node.allOf = [...(node.allOf ?? []), ...rules];
}
