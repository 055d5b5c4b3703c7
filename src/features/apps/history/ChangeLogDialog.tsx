import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { ChangeLogFrame } from '#features/apps/history/ChangeLogFrame.tsx'

interface ChangeLogDialogProps {
  name: string
  version: string
  /** The id of a published or uploaded package, or the text of a change log in a file that only this device has read. */
  source: { id: string } | { text: string }
  onClose: () => void
}

export function ChangeLogDialog({ name, version, source, onClose }: ChangeLogDialogProps) {
  const { t } = useTranslation('apps')
  const title = t('changeLog.title', { name, version })
  return (
    <Dialog open isWide title={title} onClose={onClose}>
      {'id' in source ? (
        <ChangeLogFrame id={source.id} title={title} />
      ) : (
        <>
          <p className="change-log-note">{t('changeLog.asWritten')}</p>
          {/* biome-ignore lint: what scrolls is to be reached by key */}
          <pre className="change-log" tabIndex={0}>
            {source.text}
          </pre>
        </>
      )}
    </Dialog>
  )
}
