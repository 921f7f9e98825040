import { getRequest, jsonRequest } from './client.js'
import type { LoadRequest } from './load.js'
import type { Tenant } from './setting.js'
import { temporaryEmail, temporaryName } from './temporary.js'

export const listUsers = ({ token }: Tenant) => getRequest(token, '/api/v1/users/')

export const listTemplates = ({ token }: Tenant) =>
  getRequest(token, '/api/v1/admin/simulation/channel-templates')

export const listExperiments = ({ token }: Tenant) =>
  getRequest(token, '/api/v1/admin/simulation/team-drills/experiments')

export function listAuditEvents(tenant: Tenant, query: Record<string, string> = {}): LoadRequest {
  const search = new URLSearchParams(query)
  const path = auditPath(tenant)
  return getRequest(tenant.token, search.size > 0 ? `${path}?${search}` : path)
}

const auditPath = ({ organization_id }: Tenant) =>
  `/api/v1/admin/simulation/audit-events/${organization_id}`

export const exportAuditEvents = (tenant: Tenant) =>
  getRequest(tenant.token, `${auditPath(tenant)}/export`)

export const verifyAuditTrail = (tenant: Tenant) =>
  getRequest(tenant.token, `${auditPath(tenant)}/verify`)

/** What a simulation's runtime records: one event. */
export function recordAuditEvent(tenant: Tenant, number: number): LoadRequest {
  const event = {
    category: 'simulation',
    event_type: 'message_posted',
    case_id: 'wave-2',
    conversation_id: `conversation-${Math.floor(number / 200)}`,
    channel_id: `channel-${number % 8}`,
    thread_id: `thread-${Math.floor(number / 10)}`,
    metadata: { words: number % 100 },
  }
  return jsonRequest('POST', auditPath(tenant), { events: [event] }, tenant.token)
}

/** Each number gives a branding that differs from its neighbours'. */
export function updateBranding({ token, organization_id }: Tenant, number: number): LoadRequest {
  const path = `/api/v1/organizations/${organization_id}/branding`
  const primary_color = `#${(number % 0xffffff).toString(16).padStart(6, '0')}`
  const body = {
    company_name: 'Nordlicht Logistics',
    logo_url: 'https://cdn.example/logos/nordlicht.svg',
    primary_color,
    sidebar_color: '#112233',
    departments: ['People', 'Finance', 'Logistics', 'Sales'],
    welcome_message: `Good to have you here. Our colour of the day is ${primary_color}.`,
  }
  return jsonRequest('PUT', path, body, token)
}

/** Requests that one connection repeats: no two connections ever send the same colour. */
const differentBrandings = 64

/** Changes of the tenants' brandings in turn, for a connection that sends them over and over. */
export function updateBrandings(tenants: readonly Tenant[], connection: number): LoadRequest[] {
  return Array.from({ length: differentBrandings }, (_, index) => {
    const tenant = tenants[(connection + index) % tenants.length] as Tenant
    return updateBranding(tenant, connection * differentBrandings + index)
  })
}

/** For each connection one request after the other, none of which has been sent before. */
export function neverTheSame(request: (number: number) => LoadRequest): () => LoadRequest[] {
  let number = 0
  return () => [
    { ...request(++number), setupRequest: (sent) => ({ ...sent, ...request(++number) }) },
  ]
}

/** A registration that has not been sent before, however often it is asked for. */
export function register(): LoadRequest {
  const body = {
    email: temporaryEmail(),
    password: 'correct horse battery staple',
    organization_name: temporaryName,
    first_name: 'Ada',
    last_name: 'Okafor',
  }
  return jsonRequest('POST', '/api/v1/auth/register', body)
}

/** The same for a connection that sends it over and over. */
export function registerAgainAndAgain(): LoadRequest[] {
  return [{ ...register(), setupRequest: (request) => ({ ...request, body: register().body }) }]
}

const quickSetupPath = '/api/v1/admin/simulation/scenario-blueprints/quick-setup'

export const applyQuickSetup = ({ token }: Tenant, team_size: number) =>
  jsonRequest('POST', `${quickSetupPath}/apply`, { team_size }, token)

export const previewQuickSetup = ({ token }: Tenant, team_size: number) =>
  jsonRequest('POST', `${quickSetupPath}/preview`, { team_size }, token)

export const rollbackQuickSetup = ({ token }: Tenant, setup_id: string): LoadRequest => ({
  ...getRequest(token, `/api/v1/admin/simulation/quick-setups/${setup_id}/rollback`),
  method: 'POST',
})
