import { useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { useLeaveWarning } from '#ui/navigation-guard/navigation-guard.tsx'
import { useTranslation } from 'react-i18next'

const fileName = 'recovery-codes.txt'

interface RecoveryCodesProps {
  codes: string[]
  account: string
  onSaved?: () => void
  onDone: () => void
}

/** Shows the codes once, with buttons to copy, download and print them. They cannot be shown again later. */
export function RecoveryCodes({ codes, account, onSaved, onDone }: RecoveryCodesProps) {
  const { t } = useTranslation('factors')
  const [isCopied, setIsCopied] = useState(false)
  const [isSaved, setSaved] = useState(false)
  useLeaveWarning(!isSaved)
  const markSaved = () => {
    setSaved(true)
    onSaved?.()
  }
  const text = `${t('codes.fileTitle', { account })}\n${t('codes.fileText')}\n\n${codes.join('\n')}\n`
  const copy = () =>
    void navigator.clipboard?.writeText(codes.join('\n')).then(() => {
      setIsCopied(true)
      markSaved()
    })
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: fileName })
    link.click()
    URL.revokeObjectURL(url)
    markSaved()
  }
  return (
    <div className="form">
      <p>{t('codes.text')}</p>
      {/* The printed page needs the account's name as its heading. */}
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
        <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
          {isCopied ? t('codes.copied') : t('codes.copy')}
        </Button>
        <Button onClick={download}>{t('codes.download')}</Button>
        <Button onClick={() => (print(), markSaved())}>{t('codes.print')}</Button>
      </div>
      <Button kind="primary" onClick={onDone}>
        {t('codes.done')}
      </Button>
    </div>
  )
}
