import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { previewSetup, type SetupPreview } from '../calls/scenarios.js'
import { useKept } from '../draft.js'
import { may } from '../me.js'
import { say } from '../words/words.js'
import { InPlace } from './in-place.js'
import { Model, type ModelName } from './model.js'
import { Preview } from './preview.js'

interface SetUpProps {
  blueprint: Schema<'Blueprint'>
  setup: Schema<'QuickSetupDetails'> | undefined
  onChanged: () => Promise<void>
}

type Models = Record<ModelName, string>

interface Previewed {
  body: Schema<'QuickSetup'>
  preview: SetupPreview
}

/** How a scenario is set up: the size of its team, its models, a preview, and the setup itself. */
export function SetUp({ blueprint, setup, onChanged }: SetUpProps) {
  const names = Object.keys(blueprint.models) as ModelName[]
  const presets = Object.fromEntries(
    names.map((name) => [name, setup?.models[name] ?? blueprint.models[name].preset]),
  ) as Models
  const kept = useKept(`setup ${blueprint.scenario_type} ${setup?._id}`, {
    size: `${setup?.team_size ?? Math.max(6, blueprint.cast.length)}`,
    models: presets,
  })
  const { size, models } = kept.fields
  const [previewed, setPreviewed] = useState<Previewed | null>(null)
  const [isNew, setNew] = useState(false)
  const action = useAction()
  const body = { scenario_type: blueprint.scenario_type, team_size: Number(size), ...models }
  const show = async () => setPreviewed({ body, preview: await previewSetup(body) })
  // What is applied is what the preview shows: a preview of other inputs is hidden.
  const isOfInputs = JSON.stringify(previewed?.body) === JSON.stringify(body)
  const changed = (isApplied: boolean) => async () => {
    kept.forget()
    setPreviewed(null)
    setNew(isApplied)
    await onChanged()
  }
  const least = blueprint.solo === false ? 3 : 1
  return (
    <section class="card stack unprinted">
      <h2>{say('lead.setUpTitle')}</h2>
      {setup && <InPlace key={setup._id} setup={setup} isNew={isNew} onUndone={changed(false)} />}
      <ActionForm action={action} act={show} done={say('lead.previewShown')}>
        <Field
          label={say('lead.teamSize')}
          hint={say('lead.teamSizeHint', { least })}
          type="number"
          min={least}
          max={50}
          required
          value={size}
          onInput={(size) => kept.set({ size })}
          fault={action.faultAt('team_size')}
        />
        <details>
          <summary>{say('lead.models')}</summary>
          <div class="stack models">
            <p class="muted small">{say('lead.modelsWhy')}</p>
            {names.map((name) => (
              <Model
                key={name}
                name={name}
                blueprint={blueprint}
                value={models[name]}
                onChange={(value) => kept.set({ models: { ...models, [name]: value } })}
              />
            ))}
          </div>
        </details>
        <button type="submit" aria-disabled={action.isBusy.value}>
          {say('lead.preview')}
        </button>
      </ActionForm>
      {previewed && isOfInputs && <Preview {...previewed} onApplied={changed(true)} />}
      {!may('applyQuickSetup') && <p class="muted">{say('lead.onlyAdminsApply')}</p>}
    </section>
  )
}
