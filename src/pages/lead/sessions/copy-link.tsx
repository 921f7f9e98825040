import { useState } from 'preact/hooks'
import { announce } from '../../shared/announcer.js'
import { say } from '../words/words.js'

/** Copies the link of a place, and shows it if the browser does not allow that. */
export function CopyLink({ url, name }: { url: string; name: string }) {
  const [isCopied, setCopied] = useState<boolean | null>(null)
  const copy = async (button: HTMLElement) => {
    const isDone = await copyText(url)
    setCopied(isDone)
    if (isDone) announce(say('lead.linkCopied'))
    button.focus()
  }
  return (
    <div class="unprinted">
      <button
        type="button"
        class="small"
        onClick={({ currentTarget }) => void copy(currentTarget)}
        onBlur={() => setCopied((is) => is && null)}
      >
        {say(isCopied ? 'lead.linkCopied' : 'lead.copyLink')}
        <span class="unseen"> ({name})</span>
      </button>
      {isCopied === false && <p class="link-text small">{url}</p>}
    </div>
  )
}

async function copyText(text: string): Promise<boolean> {
  if (isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  // By plain HTTP, as inside a company, browsers copy only what is selected.
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}
