import { memo, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatReadingTime } from '#ui/list/Freshness.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'

/** Says that nothing has to be saved here, and how to begin anew. */
export const DraftNote = memo(function DraftNote({
  savedAt,
  discard,
  isUnsaved,
}: Pick<WizardDraftState, 'savedAt' | 'discard' | 'isUnsaved'>) {
  const { t } = useTranslation('wizard')
  const [isConfirming, setConfirming] = useState(false)
  if (isUnsaved)
    return (
      <p className="draft-note" role="alert">
        <NoteWithIcon icon="alert">{t('draft.unkept')}</NoteWithIcon>
      </p>
    )
  // There from the start: what comes with the first letter would push the field away from under the hand.
  if (savedAt === null)
    return (
      <p className="draft-note">
        <NoteWithIcon icon="device">{t('draft.none')}</NoteWithIcon>
      </p>
    )
  const action = (
    <Button
      kind="danger"
      onClick={() => {
        setConfirming(false)
        discard()
      }}
    >
      {t('draft.discard')}
    </Button>
  )
  return (
    <p className="draft-note">
      <NoteWithIcon icon="check">{t('draft.kept', { at: formatReadingTime(savedAt) })}</NoteWithIcon>
      <Button kind="plain" onClick={() => setConfirming(true)}>
        {t('draft.discard')}
      </Button>
      <Dialog
        open={isConfirming}
        title={t('draft.title')}
        onClose={() => setConfirming(false)}
        action={action}
        cancel={t('draft.keep')}
      >
        <p>{t('draft.text')}</p>
      </Dialog>
    </p>
  )
})

/** The sign stays beside its first word where the line is too short for all of them. */
const NoteWithIcon = ({ icon, children }: { icon: IconName; children: string }) => (
  <span>
    <Icon name={icon} size={16} /> {children}
  </span>
)
