import { useState } from 'react'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'

/** A code one may have to hand on, with a button that copies it (C-25). */
export function CopyText({ text }: { text: string }) {
  const t = useWords('ui')
  const [copied, setCopied] = useState(false)
  const copy = () => {
    // Missing on plain HTTP other than loopback; the text can still be selected by hand.
    void navigator.clipboard?.writeText(text).then(() => setCopied(true))
  }
  return (
    <span className="copy">
      <code>{text}</code>
      <button
        type="button"
        className="copy-button"
        aria-label={t('copy.copy', { text })}
        onClick={copy}
        onBlur={() => setCopied(false)}
      >
        <Icon name={copied ? 'check' : 'copy'} size={16} />
      </button>
      <span className="sr-only" role="status">
        {copied ? t('copy.copied') : ''}
      </span>
    </span>
  )
}
