import { getRequest, jsonRequest } from './client.js'
import type { LoadRequest } from './load.js'
import type { Tenant } from './setting.js'
import { temporaryEmail, temporaryName } from './temporary.js'

export const listUsers = ({ token }: Tenant) => getRequest(token, '/api/v1/users/')

export const listTemplates = ({ token }: Tenant) =>
  getRequest(token, '/api/v1/admin/simulation/channel-templates')

export function listAuditEvents(
  { token, organization_id }: Tenant,
  query: Record<string, string> = {},
): LoadRequest {
  const search = new URLSearchParams(query)
  const path = `/api/v1/admin/simulation/audit-events/${organization_id}`
  return getRequest(token, search.size > 0 ? `${path}?${search}` : path)
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

export const applyQuickSetup = ({ token }: Tenant, team_size: number) =>
  jsonRequest(
    'POST',
    '/api/v1/admin/simulation/scenario-blueprints/quick-setup/apply',
    { team_size },
    token,
  )
