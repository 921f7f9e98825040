import type { OperationId } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, registerAdmin } = await startService(t)
const { token, organization_id, user_id } = await registerAdmin()

/** The operations that update texts: their path parameters and text fields. */
const updates: [OperationId, Record<string, string>, string[]][] = [
  ['updateBranding', { organization_id }, ['company_name', 'sidebar_color', 'welcome_message']],
  ['updateUser', { user_id }, ['full_name', 'bio', 'avatar_url']],
]

/** Updates of a text in sequence, each with the value of the text afterwards. */
const steps = [
  [{ text: 'given' }, 'given'],
  [{ text: null }, 'given'],
  [{}, 'given'],
  [{ text: '' }, null],
  [{ text: null }, null],
  [{ text: '' }, null],
] as const

const texts: Record<string, string> = {
  sidebar_color: '#123456',
  avatar_url: 'https://acme.example/ada.png',
}

t.test('Null leaves a text unchanged and an empty text clears it, in every field', async (t) => {
  for (const [operationId, params, fields] of updates) {
    for (const field of fields) {
      const given = texts[field] ?? 'A text of some length'
      for (const [step, expected] of steps) {
        const text = 'text' in step ? { [field]: step.text === 'given' ? given : step.text } : {}
        const { status, body } = await call(operationId, { token, params, body: text })
        const wanted = expected === 'given' ? given : expected
        t.strictSame([status, body[field]], [200, wanted], `${operationId} ${JSON.stringify(text)}`)
      }
    }
  }
})
