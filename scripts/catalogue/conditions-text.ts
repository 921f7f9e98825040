import type { BundleMessage } from '../../src/blueprints/bundle/compose.js'

type Metadata = BundleMessage['metadata']
type Condition = NonNullable<Exclude<Metadata['only_if'], unknown[] | null>>

/** On which decisions a message or a reply depends, in words. */
export function conditionsText({ kind, fallback_for, only_if, unless }: Metadata): string {
  const endings = (conditions: Metadata['only_if']) =>
    [conditions ?? []].flat().map((one) => endingText(one))
  const needed = endings(only_if)
  const parts = [
    ...(fallback_for ? [`only if no one has decided ${fallback_for}`] : []),
    ...(needed.length > 0 ? [`only if ${needed.join(' and ')}`] : []),
    ...endings(unless).map((ending) => `not if ${ending}`),
    ...(kind === 'acknowledgement' ? ['as soon as participants decide it'] : []),
  ]
  return parts.map((part) => ` · ${part}`).join('')
}

const endingText = ({ beat, options }: Condition) => `${beat} ends in ${options.join(' or ')}`
