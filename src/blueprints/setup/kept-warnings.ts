import type { Selectable } from 'kysely'
import type { Database } from '../../database/schema.js'
import type { Bundle, BundleRequest } from '../bundle/compose.js'
import { type Catalogue, modelFields } from '../catalogue/entries.js'
import { modelLabel } from '../names.js'

export type EarlierSetup = Pick<
  Selectable<Database['blueprint_setups']>,
  'models' | 'catalogue_version'
>

/**
 * The warnings of an application without `overwrite_existing`: it names the requested models that
 * the kept rows do not have, and the older catalogue version they were made with.
 */
export function keptWarnings(
  catalogue: Catalogue,
  bundle: Bundle,
  request: BundleRequest,
  earlier: EarlierSetup,
): Bundle['warnings'] {
  const stays = 'Not applied: what an earlier setup made stays as it is without overwrite_existing'
  const { catalogue_version: value } = earlier
  const older = {
    field: 'catalogue_version',
    value,
    message: `The existing rows were made with ${value}; only the missing ones are of ${bundle.catalogue_version}`,
  }
  return [
    ...modelFields.flatMap((field) => {
      const wanted = request.models[field]
      if (!wanted?.trim() || wanted === earlier.models[field]) return []
      const shown = modelLabel(catalogue, field, earlier.models[field])
      return [{ field, value: wanted, message: `${stays}, and shows “${shown}”` }]
    }),
    ...(value === bundle.catalogue_version ? [] : [older]),
  ]
}
