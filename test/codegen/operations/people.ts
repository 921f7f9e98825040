import { randomUUID } from 'node:crypto'
import { type Calls, clientFor, type Stage } from './calls.ts'

/** Calls the operations on people and their organization. */
export function peopleCalls({ url, admin, member, character_ids }: Stage) {
  const anyone = clientFor(url)
  const asAdmin = clientFor(url, admin)
  const asMember = clientFor(url, member)
  const { email, password } = member
  const inOrganization = { path: { organization_id: admin.organization_id } }
  const ofMember = { path: { user_id: member.user_id } }
  const ofBot = { path: { user_id: character_ids[0] ?? '' } }
  const invited = { email: `${randomUUID()}@codegen.example`, first_name: 'Di', last_name: 'Ek' }
  const made = { user_id: '', api_key_id: '', refresh_token: '', session: admin }
  const token = randomUUID()
  const invitee = () => ({ path: { ...inOrganization.path, user_id: made.user_id } })

  return {
    register: () =>
      anyone.POST('/api/v1/auth/register', {
        body: { ...invited, password, organization_name: 'Ek', email: `${token}@codegen.example` },
      }),
    login: async () => {
      const answer = await anyone.POST('/api/v1/auth/login', { body: { email, password } })
      made.refresh_token = answer.data?.refresh_token ?? ''
      return answer
    },
    refreshToken: async () => {
      const { refresh_token } = made
      const answer = await anyone.POST('/api/v1/auth/refresh', { body: { refresh_token } })
      made.session = answer.data ?? admin
      return answer
    },
    logout: () => clientFor(url, made.session).POST('/api/v1/auth/logout'),
    changePassword: () =>
      asMember.POST('/api/v1/auth/change-password', {
        body: { current_password: password, new_password: randomUUID() },
      }),
    getCurrentUser: () => asAdmin.GET('/api/v1/auth/me'),
    getInvitation: () => anyone.POST('/api/v1/auth/get-invitation', { body: { token } }),
    acceptInvitation: () =>
      anyone.POST('/api/v1/auth/accept-invitation', { body: { token, password } }),
    requestPasswordReset: () =>
      anyone.POST('/api/v1/auth/request-password-reset', { body: { email } }),
    resetPassword: () => anyone.POST('/api/v1/auth/reset-password', { body: { token, password } }),
    verifyEmail: () => asAdmin.POST('/api/v1/auth/verify-email', { body: { token } }),
    resendVerification: () => asAdmin.POST('/api/v1/auth/resend-verification'),
    inviteMember: async () => {
      const init = { params: inOrganization, body: invited }
      const answer = await asAdmin.POST('/api/v1/users/invite/{organization_id}', init)
      made.user_id = answer.data?.user._id ?? ''
      return answer
    },
    listInvitations: () =>
      asAdmin.GET('/api/v1/users/invite/{organization_id}', { params: inOrganization }),
    inviteMembers: () =>
      asAdmin.POST('/api/v1/users/invite/{organization_id}/bulk', {
        params: inOrganization,
        body: { invitations: [{ ...invited, email: `${randomUUID()}@codegen.example` }] },
      }),
    resendInvitation: () =>
      asAdmin.POST('/api/v1/users/invite/{organization_id}/{user_id}/resend', {
        params: invitee(),
      }),
    revokeInvitation: () =>
      asAdmin.DELETE('/api/v1/users/invite/{organization_id}/{user_id}', { params: invitee() }),
    listUsers: () => asAdmin.GET('/api/v1/users', { params: { query: { limit: 5 } } }),
    getAvatar: () =>
      anyone.GET('/api/v1/avatars/{avatar_key}', {
        params: { path: { avatar_key: member.user_id }, query: { initials: 'AO' } },
        parseAs: 'text',
      }),
    getUser: () => asAdmin.GET('/api/v1/users/{user_id}', { params: ofMember }),
    updateUser: () =>
      asAdmin.PATCH('/api/v1/users/{user_id}', {
        params: ofMember,
        body: { bio: 'Payroll.', education: [{ graduation_year: 2014 }] },
      }),
    createApiKey: async () => {
      const init = { params: ofBot, body: { name: 'A program' } }
      const answer = await asAdmin.POST('/api/v1/bots/{user_id}/api-keys', init)
      made.api_key_id = answer.data?._id ?? ''
      return answer
    },
    listApiKeys: () => asAdmin.GET('/api/v1/bots/{user_id}/api-keys', { params: ofBot }),
    revokeApiKey: () =>
      asAdmin.DELETE('/api/v1/bots/{user_id}/api-keys/{api_key_id}', {
        params: { path: { ...ofBot.path, api_key_id: made.api_key_id } },
      }),
    createOrganization: () => asAdmin.POST('/api/v1/organizations', { body: { name: 'Codegen' } }),
    getOrganization: () =>
      asAdmin.GET('/api/v1/organizations/{organization_id}', { params: inOrganization }),
    updateOrganization: () =>
      asAdmin.PATCH('/api/v1/organizations/{organization_id}', {
        params: inOrganization,
        body: { name: 'Codegen and Sons' },
      }),
    getUsage: () =>
      asAdmin.GET('/api/v1/organizations/{organization_id}/usage', { params: inOrganization }),
    getBranding: () =>
      asAdmin.GET('/api/v1/organizations/{organization_id}/branding', { params: inOrganization }),
    updateBranding: () =>
      asAdmin.PUT('/api/v1/organizations/{organization_id}/branding', {
        params: inOrganization,
        body: { welcome_message: 'Good morning.' },
      }),
    listConsentTexts: () =>
      asAdmin.GET('/api/v1/organizations/{organization_id}/consent-texts', {
        params: inOrganization,
      }),
    createConsentText: () =>
      asAdmin.POST('/api/v1/organizations/{organization_id}/consent-texts', {
        params: inOrganization,
        body: { text: 'We record what you write.' },
      }),
  } satisfies Partial<Calls>
}
