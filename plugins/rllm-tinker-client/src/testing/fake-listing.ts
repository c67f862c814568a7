import type { FakeEngine } from './fake-engine.js';
import type { FakeModel } from './fake-model.js';
import { type FakeReply, type FakeRequest, ok, refuse } from './fake-reply.js';

const TIME = '2026-01-01T00:00:00Z';

/** Runs, checkpoints and archives. */
export function listingReply(engine: FakeEngine, request: FakeRequest): FakeReply {
  const { method, path, query } = request;
  if (path === '/weights_info') return weightsInfo(engine, String(request.body?.['tinker_path']));
  if (path === '/training_runs') {
    const offset = Number(query.get('offset') ?? 0);
    const runs = [...engine.models.values()].slice(offset, offset + Number(query.get('limit') ?? 20));
    return ok({
      training_runs: runs.map(runOf),
      cursor: { offset, limit: 20, total_count: engine.models.size },
    });
  }
  if (path === '/checkpoints' && !engine.isTx) {
    return ok({ checkpoints: [...engine.models.values()].flatMap((model) => checkpointsOf(engine, model)) });
  }
  const { run, rest } =
    /^\/training_runs\/(?<run>[^/]+)(?:\/checkpoints(?<rest>.*))?$/.exec(path)?.groups ?? {};
  const model = engine.models.get(decodeURIComponent(run ?? ''));
  if (run === undefined || model === undefined) return refuse(404, 'Not Found');
  if (rest === undefined) return ok(runOf(model));
  if (rest === '') return ok({ checkpoints: checkpointsOf(engine, model) });
  if (rest.endsWith('/archive')) return archiveOf(engine, model, rest.slice(1, -'/archive'.length));
  return method === 'DELETE' ? deleteOf(model, rest.slice(1)) : refuse(405, 'Method Not Allowed');
}

function weightsInfo(engine: FakeEngine, path: string): FakeReply {
  const { run, name } = /^tinker:\/\/(?<run>[^/]+)\/weights\/(?<name>[^/]+)$/.exec(path)?.groups ?? {};
  const model = engine.models.get(run ?? '');
  if (run === undefined) return refuse(400, 'Invalid tinker path format');
  if (model === undefined || !model.states.has(name ?? ''))
    return refuse(404, `Checkpoint not found: ${path}`);
  const base = { base_model: model.baseModel, is_lora: true, lora_rank: model.rank };
  return ok(engine.isTx ? base : { ...base, train_attn: true, train_mlp: true, train_unembed: true });
}

function runOf(model: FakeModel): unknown {
  return {
    training_run_id: model.id,
    base_model: model.baseModel,
    model_owner: 'default',
    is_lora: true,
    corrupted: false,
    lora_rank: model.rank,
    last_request_time: TIME,
    last_checkpoint: null,
    last_sampler_checkpoint: null,
    user_metadata: null,
  };
}

function checkpointsOf(engine: FakeEngine, model: FakeModel): readonly unknown[] {
  const rows = (kind: string, type: string, names: Iterable<string>): readonly unknown[] =>
    [...names].map((name) => ({
      checkpoint_id: engine.isTx ? name : `${kind}/${name}`,
      checkpoint_type: type,
      time: TIME,
      tinker_path: `tinker://${model.id}/${kind}/${name}`,
    }));
  return [
    ...rows('weights', 'training', model.states.keys()),
    ...rows('sampler_weights', 'sampler', model.samplers.keys()),
  ];
}

function archiveOf(engine: FakeEngine, model: FakeModel, id: string): FakeReply {
  if (engine.isTx) {
    if (id.includes('/')) return refuse(405, 'Method Not Allowed');
    if (!model.samplers.has(id)) return refuse(404, `Checkpoint not found: ${id}`);
    const location = `/api/v1/training_runs/${model.id}/checkpoints/${id}/download`;
    return { status: 302, headers: { location, expires: TIME }, body: '' };
  }
  const [kind, name = ''] = id.split('/');
  const kept = kind === 'weights' ? model.states : model.samplers;
  if (!kept.has(name)) return refuse(404, `Checkpoint not found: ${id}`);
  return ok({ url: `https://archive.invalid/${name}.tar.gz`, expires: TIME });
}

function deleteOf(model: FakeModel, id: string): FakeReply {
  const [kind, name = ''] = id.split('/');
  const kept = kind === 'weights' ? model.states : model.samplers;
  if (!kept.delete(name)) return refuse(404, `Checkpoint not found: ${id}`);
  return { status: 204, headers: { 'content-type': 'application/json' }, body: '' };
}
