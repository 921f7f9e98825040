import type { Selectable } from 'kysely'
import type { Database } from '../database/schema.js'
import type { Bundle, BundleRequest } from './bundle/compose.js'
import { modelFields } from './catalogue/entries.js'

export type Kept = Pick<Selectable<Database['blueprint_setups']>, 'models' | 'catalogue_version'>

/**
 * What an application that replaces nothing has to say of what stays: which models asked for are
 * not what the texts there show, and with which version they were made.
 */
export function keptWarnings(bundle: Bundle, asked: BundleRequest, kept: Kept): Bundle['warnings'] {
  const stays = 'Not applied: what an earlier setup made stays as it is without overwrite_existing'
  const { catalogue_version: value } = kept
  const older = {
    field: 'catalogue_version',
    value,
    message: `What there is was made with ${value}; only what was missing is of ${bundle.catalogue_version}`,
  }
  return [
    ...modelFields.flatMap((field) => {
      const wanted = asked.models[field]
      if (!wanted?.trim() || wanted === kept.models[field]) return []
      return [{ field, value: wanted, message: `${stays}, and shows ${kept.models[field]}` }]
    }),
    ...(value === bundle.catalogue_version ? [] : [older]),
  ]
}
