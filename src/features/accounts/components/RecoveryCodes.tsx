import { useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { useLeaveWarning } from '#ui/navigation-guard/NavigationGuard.tsx'
import { useTranslation } from 'react-i18next'

const fileName = 'recovery-codes.txt'

interface Props {
  codes: string[]
  account: string
  /** They were copied, downloaded or printed. */
  onKept?: () => void
  onDone: () => void
}

/** Shown once, with every way to keep them; gone from here when it is left. */
export function RecoveryCodes({ codes, account, onKept, onDone }: Props) {
  const { t } = useTranslation('factors')
  const [copied, setCopied] = useState(false)
  const [kept, setKept] = useState(false)
  useLeaveWarning(!kept)
  const keep = () => {
    setKept(true)
    onKept?.()
  }
  const text = `${t('codes.fileTitle', { account })}\n${t('codes.fileText')}\n\n${codes.join('\n')}\n`
  const copy = () =>
    void navigator.clipboard?.writeText(codes.join('\n')).then(() => {
      setCopied(true)
      keep()
    })
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: fileName })
    link.click()
    URL.revokeObjectURL(url)
    keep()
  }
  return (
    <div className="form">
      <p>{t('codes.text')}</p>
      {/* On paper it stands alone, with the account's name above it. */}
      <div className="factor-codes">
        <p className="factor-printed">{t('codes.fileTitle', { account })}</p>
        <ol>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <p className="factor-printed">{t('codes.fileText')}</p>
      </div>
      <div className="factor-ways">
        <Button icon={copied ? 'check' : 'copy'} onClick={copy}>
          {copied ? t('codes.copied') : t('codes.copy')}
        </Button>
        <Button onClick={download}>{t('codes.download')}</Button>
        <Button onClick={() => (print(), keep())}>{t('codes.print')}</Button>
      </div>
      <Button kind="primary" onClick={onDone}>
        {t('codes.done')}
      </Button>
    </div>
  )
}
