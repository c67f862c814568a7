/**
 * What decorators leave behind. A decorator only declares; nothing changes in a running app until an app collects.
 *
 * Two places hold a declaration. The target carries it as a mark, which is how a plugin's exports are read. A process-wide
 * list, shared by all copies of the SDK, catches what is not exported: while a plugin loads, its declarations go to that
 * plugin; else they go to the program's own list, which `createApp` reads too.
 */
export interface Declaration {
  readonly kind: 'estimator' | 'groupingHook' | 'workflow' | 'rewardFunction';
  readonly name: string;
  readonly form: 'class' | 'function' | 'definition';
  /** The class, the function (bound late for static methods), or the definition object. */
  readonly target: unknown;
  /** Takes the place of an earlier declaration of this name. */
  readonly override: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

interface Slot {
  open: Declaration[] | undefined;
  readonly program: Declaration[];
  readonly byUrl: Map<string, readonly Declaration[]>;
  queue: Promise<unknown>;
}

const MARK = Symbol.for('rllm.declaration');
const SLOT = Symbol.for('rllm.declarations/1');

function slot(): Slot {
  const host = globalThis as { [SLOT]?: Slot };
  host[SLOT] ??= { open: undefined, program: [], byUrl: new Map(), queue: Promise.resolve() };
  return host[SLOT];
}

/** Records a declaration on its target and in the open list. */
export function declare(declaration: Declaration): void {
  mark(declaration);
  const { open, program } = slot();
  (open ?? program).push(declaration);
}

/**
 * Records a declaration on its target alone. For the SDK's own parts: were they listed, a second copy of the SDK in the
 * process would declare them again, with other targets under the same names.
 */
export function mark(declaration: Declaration): void {
  const { target } = declaration;
  if ((typeof target === 'object' && target !== null) || typeof target === 'function') {
    Object.defineProperty(target, MARK, {
      value: [...declarationsOf(target), declaration],
      configurable: true,
    });
  }
}

/** The declarations that a value carries itself; inherited marks do not count. */
export function declarationsOf(target: unknown): readonly Declaration[] {
  if ((typeof target !== 'object' || target === null) && typeof target !== 'function') return [];
  const own = Object.getOwnPropertyDescriptor(target, MARK);
  return own === undefined ? [] : (own.value as readonly Declaration[]);
}

/** Declarations made outside any plugin, in order. */
export function programDeclarations(): readonly Declaration[] {
  return [...slot().program];
}

/**
 * Runs `load` and returns what was declared meanwhile. Loads run one after another, so each keeps its own; a module that
 * was evaluated before, and so declares nothing now, gets its first declarations replayed.
 */
export function harvest<T>(
  url: string,
  load: () => Promise<T>,
): Promise<{ readonly module: T; readonly declarations: readonly Declaration[] }> {
  const shared = slot();
  const run = async (): Promise<{ module: T; declarations: readonly Declaration[] }> => {
    const own: Declaration[] = [];
    shared.open = own;
    try {
      const module = await load();
      const known = shared.byUrl.get(url);
      if (known !== undefined && own.length === 0) return { module, declarations: known };
      shared.byUrl.set(url, own);
      return { module, declarations: own };
    } finally {
      shared.open = undefined;
    }
  };
  const result = shared.queue.then(run, run);
  shared.queue = result.catch(() => undefined);
  return result;
}
