import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

/** The two steps by hand, where a browser makes no offer of its own (P-06, P-27). */
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
