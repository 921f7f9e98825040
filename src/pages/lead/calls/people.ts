import type { Schema } from '../../shared/forms/schema.js'
import { service } from '../../shared/service.js'
import { me } from '../me.js'

/** How many people a list shows. */
export const mostPeople = 500

/** The people of the organization, without its characters. */
export async function readPeople(): Promise<Schema<'User'>[]> {
  const query = { is_bot: false, is_active: true, limit: mostPeople }
  const { data } = await service.api.GET('/api/v1/users', { params: { query } })
  return data
}

export async function invite(body: Schema<'Invitation'>): Promise<Schema<'InvitedMember'>> {
  const organization_id = me.value?.user.organization_id ?? ''
  const { data } = await service.api.POST('/api/v1/users/invite/{organization_id}', {
    params: { path: { organization_id } },
    body,
  })
  return data
}

/** Mails the user a link to verify their address. Returns whether the mail server took the mail. */
export async function resendVerification(): Promise<boolean> {
  return (await service.api.POST('/api/v1/auth/resend-verification')).data.email_sent
}

/** What the page calls a user. */
export const nameOf = ({ full_name, email }: Schema<'User'>) => full_name ?? email ?? '–'
