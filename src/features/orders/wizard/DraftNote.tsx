import { useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'

interface Props {
  draftState: WizardDraftState
  onContinue: () => void
  onDiscard: () => void
}

export function DraftNote({ draftState, onContinue, onDiscard }: Props) {
  const { t } = useTranslation('wizard')
  const { offer, discardOffer, savedAt, isUnsaved } = draftState
  const isSaved = savedAt !== null && !isUnsaved
  return (
    <>
      {offer && <DraftOffer savedAt={offer.savedAt} onContinue={onContinue} onDiscard={discardOffer} />}
      {/* Always rendered: if it appeared at the first keystroke, it would move the field in use. */}
      <p className="draft-note" role={isUnsaved ? 'alert' : undefined}>
        {isUnsaved && <NoteWithIcon icon="alert">{t('draft.unkept')}</NoteWithIcon>}
        {!isUnsaved && savedAt === null && <NoteWithIcon icon="device">{t('draft.none')}</NoteWithIcon>}
        {isSaved && <NoteWithIcon icon="check">{t('draft.kept', { at: formatReadingTime(savedAt) })}</NoteWithIcon>}
        {isSaved && <DiscardButton onDiscard={onDiscard} />}
      </p>
    </>
  )
}

function DiscardButton({ onDiscard }: Pick<Props, 'onDiscard'>) {
  const { t } = useTranslation('wizard')
  const [isConfirming, setConfirming] = useState(false)
  const confirm = () => {
    setConfirming(false)
    onDiscard()
  }
  return (
    <>
      <Button kind="plain" onClick={() => setConfirming(true)}>
        {t('draft.discard')}
      </Button>
      <Dialog
        open={isConfirming}
        title={t('draft.title')}
        onClose={() => setConfirming(false)}
        action={
          <Button kind="danger" onClick={confirm}>
            {t('draft.discard')}
          </Button>
        }
        cancel={t('draft.keep')}
      >
        <p>{t('draft.text')}</p>
      </Dialog>
    </>
  )
}

/** Keeps the icon next to the first word if the text wraps. */
const NoteWithIcon = ({ icon, children }: { icon: IconName; children: string }) => (
  <span>
    <Icon name={icon} size={16} /> {children}
  </span>
)
