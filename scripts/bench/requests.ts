import type { Account } from './accounts.js'
import { getRequest, type HttpRequest, jsonRequest } from './client.js'
import { temporaryEmail, temporaryName } from './database/temporary.js'

export const listUsers = ({ token }: Account) => getRequest(token, '/api/v1/users/')

export const listTemplates = ({ token }: Account) =>
  getRequest(token, '/api/v1/admin/simulation/channel-templates')

const auditPath = ({ organization_id }: Account) =>
  `/api/v1/admin/simulation/audit-events/${organization_id}`

export function listAuditEvents(account: Account, query: Record<string, string> = {}): HttpRequest {
  const search = new URLSearchParams(query)
  const path = auditPath(account)
  return getRequest(account.token, search.size > 0 ? `${path}?${search}` : path)
}

export const exportAuditEvents = (account: Account) =>
  getRequest(account.token, `${auditPath(account)}/export`)

export const verifyAuditTrail = (account: Account) =>
  getRequest(account.token, `${auditPath(account)}/verify`)

/** Records events as the runtime of a simulation does. */
export function recordAuditEvents(account: Account, number: number, count = 1): HttpRequest {
  const events = Array.from({ length: count }, (_, i) => ({
    category: 'simulation',
    event_type: 'message_posted',
    case_id: `case-${i % 10}`,
    conversation_id: `conversation-${Math.floor(number / 200)}`,
    channel_id: `channel-${number % 8}`,
    thread_id: `thread-${Math.floor(number / 10)}`,
    metadata: { words: number % 100 },
  }))
  return jsonRequest('POST', auditPath(account), { events }, account.token)
}

const brandingPath = ({ organization_id }: Account) =>
  `/api/v1/organizations/${organization_id}/branding`

/** The cheapest request that needs an account. */
export const getBranding = (account: Account) => getRequest(account.token, brandingPath(account))

/** Each number makes a branding that differs from its neighbours'. */
export function updateBranding(account: Account, number: number): HttpRequest {
  const primary_color = `#${(number % 0xffffff).toString(16).padStart(6, '0')}`
  const body = {
    company_name: 'Nordlicht Logistics',
    logo_url: 'https://cdn.example/logos/nordlicht.svg',
    primary_color,
    sidebar_color: '#112233',
    departments: ['People', 'Finance', 'Logistics', 'Sales'],
    welcome_message: `Good to have you here. Our colour of the day is ${primary_color}.`,
  }
  return jsonRequest('PUT', brandingPath(account), body, account.token)
}

/** A registration with a new address each time. */
export function register(): HttpRequest & { body: string } {
  const body = {
    email: temporaryEmail(),
    password: 'correct horse battery staple',
    organization_name: temporaryName,
    first_name: 'Ada',
    last_name: 'Okafor',
  }
  return jsonRequest('POST', '/api/v1/auth/register', body)
}

const quickSetupPath = '/api/v1/admin/simulation/scenario-blueprints/quick-setup'

export const applyQuickSetup = ({ token }: Account, team_size: number) =>
  jsonRequest('POST', `${quickSetupPath}/apply`, { team_size }, token)

export const previewQuickSetup = ({ token }: Account, team_size: number) =>
  jsonRequest('POST', `${quickSetupPath}/preview`, { team_size }, token)
