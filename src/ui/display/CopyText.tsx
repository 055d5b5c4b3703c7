import { type ReactNode, useState } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** A code with a copy button (C-25). `children` are displayed instead of `text` if it is not a code. */
export function CopyText({ text, children }: { text: string; children?: ReactNode }) {
  const { t } = useTranslation('ui')
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => {
    // Browsers have no clipboard on plain HTTP other than loopback. Users can still select the text.
    void navigator.clipboard?.writeText(text).then(() => setIsCopied(true))
  }
  return (
    <span className="copy">
      {children ?? <code>{text}</code>}
      <button
        type="button"
        className="copy-button"
        aria-label={t('copy.copy', { text })}
        onClick={copy}
        onBlur={() => setIsCopied(false)}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      </button>
      <span className="sr-only" role="status">
        {isCopied ? t('copy.copied') : ''}
      </span>
    </span>
  )
}
