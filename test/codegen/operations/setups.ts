import { type Calls, clientFor, type Stage } from './calls.ts'

const experiments = '/api/v1/admin/simulation/team-drills/experiments'
const experiment = `${experiments}/{experiment_id}` as const
const templates = '/api/v1/admin/simulation/channel-templates'
const blueprints = '/api/v1/admin/simulation/scenario-blueprints'
const audit = '/api/v1/admin/simulation/audit-events/{organization_id}'
const setups = '/api/v1/admin/simulation/quick-setups'

/** Calls the operations on setups, templates, experiments and the audit trail. */
export function setupCalls({ url, admin, character_ids }: Stage) {
  const client = clientFor(url, admin)
  const organization = { path: { organization_id: admin.organization_id } }
  const made = { setup_id: '', template_id: '', experiment_id: '', draft_id: '' }
  const session_ids: string[] = []
  const setup = () => ({ path: { setup_id: made.setup_id } })
  const template = () => ({ path: { template_id: made.template_id } })
  const ofExperiment = () => ({ path: { experiment_id: made.experiment_id } })
  const message = { sender_character_id: character_ids[0] ?? '', content: 'Good morning.' }
  const scenario_name = 'codegen'

  const ofBlueprints = {
    listBlueprints: () => client.GET(blueprints),
    getBlueprint: () =>
      client.GET(`${blueprints}/{scenario_type}`, {
        params: { path: { scenario_type: 'hr_workforce' } },
      }),
    previewQuickSetup: () => client.POST(`${blueprints}/quick-setup/preview`, { body: {} }),
    applyQuickSetup: async () => {
      const body = { scenario_type: 'hr_workforce', include_template_payload: true }
      const answer = await client.POST(`${blueprints}/quick-setup/apply`, { body })
      made.setup_id = answer.data?._id ?? ''
      return answer
    },
    listQuickSetups: () => client.GET(setups),
    getQuickSetup: () => client.GET(`${setups}/{setup_id}`, { params: setup() }),
    rollbackQuickSetup: () => client.POST(`${setups}/{setup_id}/rollback`, { params: setup() }),
  } satisfies Partial<Calls>

  const ofTemplates = {
    createChannelTemplate: async () => {
      const body = { channel_name: 'desk', scenario_name, message_templates: [message] }
      const answer = await client.POST(templates, { body })
      made.template_id = answer.data?._id ?? ''
      return answer
    },
    listChannelTemplates: () => client.GET(templates, { params: { query: { scenario_name } } }),
    getChannelTemplate: () => client.GET(`${templates}/{template_id}`, { params: template() }),
    replaceChannelTemplate: () =>
      client.PUT(`${templates}/{template_id}`, {
        params: template(),
        body: { channel_name: 'desk', scenario_name, message_templates: [message] },
      }),
    updateChannelTemplate: () =>
      client.PATCH(`${templates}/{template_id}`, { params: template(), body: { is_active: true } }),
    previewChannelTemplate: () =>
      client.POST(`${templates}/{template_id}/preview`, {
        params: template(),
        body: { start_at: '2026-11-23T09:00:00.000Z' },
      }),
    exportChannelTemplates: () => client.GET(`${templates}-export`),
    importChannelTemplates: () =>
      client.POST(`${templates}-import`, {
        params: { query: { dry_run: true } },
        body: { format: 'channel-templates', version: 1, templates: [{ channel_name: 'desk' }] },
      }),
    deleteChannelTemplate: () =>
      client.DELETE(`${templates}/{template_id}`, { params: template() }),
  } satisfies Partial<Calls>

  const ofExperiments = {
    createExperiment: async () => {
      const draft = await client.POST(experiments, { body: { name: 'A draft' } })
      made.draft_id = draft.data?._id ?? ''
      const answer = await client.POST(experiments, { body: { name: 'Whether it helps' } })
      made.experiment_id = answer.data?._id ?? ''
      return answer
    },
    listExperiments: () => client.GET(experiments, { params: { query: { status: 'draft' } } }),
    getExperiment: () => client.GET(experiment, { params: ofExperiment() }),
    updateExperiment: () =>
      client.PUT(experiment, { params: ofExperiment(), body: { hypothesis: 'It helps.' } }),
    deleteExperiment: () =>
      client.DELETE(experiment, { params: { path: { experiment_id: made.draft_id } } }),
    assignSessions: async () => {
      for (const name of ['One', 'Two']) {
        const body = { name, scenario_name: 'hr_workforce' }
        const { data } = await client.POST('/api/v1/simulation/sessions', { body })
        session_ids.push(data?._id ?? '')
      }
      const init = { params: ofExperiment(), body: { session_ids } }
      return client.POST(`${experiment}/assign-sessions`, init)
    },
    getExperimentReadiness: () => client.GET(`${experiment}/readiness`, { params: ofExperiment() }),
    registerAnalysisPlan: () =>
      client.PUT(`${experiment}/analysis-plan`, {
        params: ofExperiment(),
        body: { primary_outcome: 'expectations_met', direction: 'increase' },
      }),
    getExperimentResults: () => client.GET(`${experiment}/results`, { params: ofExperiment() }),
    concludeExperiment: async () => {
      await client.PUT(experiment, { params: ofExperiment(), body: { status: 'running' } })
      for (const session_id of session_ids) {
        const params = { path: { session_id } }
        await client.POST('/api/v1/simulation/sessions/{session_id}/end', { params })
      }
      await client.PUT(experiment, { params: ofExperiment(), body: { status: 'completed' } })
      return client.POST(`${experiment}/conclude`, {
        params: ofExperiment(),
        body: { decision: 'inconclusive', rationale: 'Too few sessions.' },
      })
    },
    exportExperimentData: () =>
      client.GET(`${experiment}/data`, { params: ofExperiment(), parseAs: 'text' }),
  } satisfies Partial<Calls>

  const ofAudit = {
    listAuditEvents: () =>
      client.GET(audit, { params: { ...organization, query: { category: 'auth' } } }),
    recordAuditEvents: () =>
      client.POST(audit, {
        params: organization,
        body: { events: [{ category: 'simulation', event_type: 'codegen_called' }] },
      }),
    exportAuditEvents: () =>
      client.GET(`${audit}/export`, { params: organization, parseAs: 'text' }),
    verifyAuditTrail: () => client.GET(`${audit}/verify`, { params: organization }),
    createAuditCheckpoint: () => client.POST(`${audit}/checkpoints`, { params: organization }),
    getAuditRetention: () => client.GET(`${audit}/retention`, { params: organization }),
    updateAuditRetention: () =>
      client.PUT(`${audit}/retention`, { params: organization, body: { days: 365 } }),
    getAuditCatalogue: () => client.GET('/api/v1/admin/simulation/audit-catalogue'),
    getAuditKeys: () => client.GET('/.well-known/jwks.json'),
  } satisfies Partial<Calls>

  return { ...ofTemplates, ...ofExperiments, ...ofAudit, ...ofBlueprints }
}
