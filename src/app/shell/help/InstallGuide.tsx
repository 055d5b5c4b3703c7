import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

/** The two manual steps for browsers without an install offer (P-06, P-27). */
export function InstallGuide({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('about')
  return (
    <Dialog open title={t('install.title')} onClose={onClose}>
      <ol className="guide">
        <li>{t('install.share')}</li>
        <li>{t('install.add')}</li>
      </ol>
      <p>{t('install.apart')}</p>
    </Dialog>
  )
}
