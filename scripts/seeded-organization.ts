import { randomBytes } from 'node:crypto'
import { type Client, createClient, type Schema } from '../src/client/client.js'

export interface Login {
  role: string
  email: string
  password: string
}

export interface Seed {
  organization: string
  people: Login[]
  session: Schema<'SimulationSession'>
  /** A character of the session, and the key with which a program speaks for it. */
  character: string
  api_key: string
}

type Member = Login & { user_id: string; client: Client }

const scenario_name = 'crisis_response'
const colleagues = [
  { first_name: 'Hanna', last_name: 'Lindqvist', role: 'hr' },
  { first_name: 'Emil', last_name: 'Baptiste', role: 'executive' },
  { first_name: 'Ben', last_name: 'Okoro', role: 'employee' },
  { first_name: 'Cleo', last_name: 'Marchetti', role: 'employee' },
] as const
/** The places of the employees in the session. */
const seats = ['food_safety_officer', 'press_officer']

const newPassword = () => randomBytes(12).toString('base64url')

/** Makes an organization with people of every role and a running session, by the API alone. */
export async function seedOrganization(baseUrl: string): Promise<Seed> {
  const name = randomBytes(4).toString('hex')
  const organization = `Acme ${name}`
  const domain = `acme-${name}.example`
  const admin = createClient({ baseUrl })
  const ada = { email: `ada@${domain}`, password: newPassword() }
  const registered = await admin.api.POST('/api/v1/auth/register', {
    body: { ...ada, organization_name: organization, first_name: 'Ada', last_name: 'Okafor' },
  })
  admin.setTokens(registered.data)
  const { organization_id } = registered.data

  async function invite(colleague: (typeof colleagues)[number]): Promise<Member> {
    const { first_name, last_name, role } = colleague
    const email = `${first_name.toLowerCase()}@${domain}`
    const body = { first_name, last_name, email, access_level: role }
    const params = { path: { organization_id } }
    const invited = await admin.api.POST('/api/v1/users/invite/{organization_id}', { params, body })
    const current_password = invited.data.temporary_password ?? ''
    const client = createClient({ baseUrl })
    const login = { email, password: current_password }
    client.setTokens((await client.api.POST('/api/v1/auth/login', { body: login })).data)
    const password = newPassword()
    const change = { current_password, new_password: password }
    const changed = await client.api.POST('/api/v1/auth/change-password', { body: change })
    client.setTokens(changed.data)
    return { role, email, password, user_id: invited.data.user._id ?? '', client }
  }

  const members: Member[] = []
  for (const colleague of colleagues) members.push(await invite(colleague))
  const { session, character, api_key } = await startDrill(admin, members)
  const people = [{ role: 'admin', ...ada }, ...members].map(({ role, email, password }) => ({
    ...{ role, email, password },
  }))
  return { organization, people, session, character, api_key }
}

/** Sets the scenario up, and starts a session in which the employees take part. */
async function startDrill({ api }: Client, members: Member[]) {
  const setup = await api.POST('/api/v1/admin/simulation/scenario-blueprints/quick-setup/apply', {
    body: { scenario_type: scenario_name },
  })
  const [user_id = ''] = setup.data.character_ids
  const ofCharacter = { params: { path: { user_id } } }
  const character = await api.GET('/api/v1/users/{user_id}', ofCharacter)
  const body = { name: 'A program' }
  const key = await api.POST('/api/v1/bots/{user_id}/api-keys', { ...ofCharacter, body })

  const employees = members.filter(({ role }) => role === 'employee')
  const created = await api.POST('/api/v1/simulation/sessions', {
    body: {
      name: 'Monday',
      scenario_name,
      participants: employees.map(({ user_id }, i) => ({ user_id, role_key: seats[i] ?? null })),
      rater_ids: members.filter(({ role }) => role === 'executive').map(({ user_id }) => user_id),
    },
  })
  const at = { params: { path: { session_id: created.data._id } } }
  for (const { client } of employees) {
    const path = '/api/v1/simulation/sessions/{session_id}/participation'
    await client.api.POST(path, { ...at, body: { consent: true } })
  }
  const started = await api.POST('/api/v1/simulation/sessions/{session_id}/start', at)
  const { full_name } = character.data
  return { session: started.data, character: full_name ?? '', api_key: key.data.api_key }
}
