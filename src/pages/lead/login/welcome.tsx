import type { ComponentChildren } from 'preact'
import { View } from '../view.js'
import { say } from '../words/words.js'

/** The frame of the views before the login. */
export function Welcome({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <View title={title} kind="column" over={<p class="muted">{say('service.name')}</p>}>
      <div class="card stack">{children}</div>
      <p class="muted small">
        {say('lead.notLeading')} <a href="/play">{say('lead.toPlay')}</a>
      </p>
    </View>
  )
}
