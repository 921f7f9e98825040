import type { Schema } from '../../shared/forms/schema.js'
import { service } from '../../shared/service.js'
import { me } from '../me.js'

const texts = '/api/v1/organizations/{organization_id}/consent-texts'
const ofOwn = () => ({ path: { organization_id: me.value?.user.organization_id ?? '' } })

/** The texts that participants agree to, the current one first. */
export async function readConsentTexts(): Promise<Schema<'ConsentText'>[]> {
  const { data } = await service.api.GET(texts, { params: { ...ofOwn(), query: { limit: 200 } } })
  return data
}

/** Makes a text the current one. Those who have agreed keep the text that they agreed to. */
export async function createConsentText(text: string): Promise<void> {
  await service.api.POST(texts, { params: ofOwn(), body: { text } })
}
