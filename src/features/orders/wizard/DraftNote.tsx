import { memo, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { readingTime } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { WizardDraft } from '#features/orders/wizard/useWizardDraft.ts'

/** Says that nothing has to be saved here, and how to begin anew. */
export const DraftNote = memo(function DraftNote({ keptAt, discard, unkept }: Omit<WizardDraft, 'draft' | 'change'>) {
  const { t } = useTranslation('wizard')
  const [asked, setAsked] = useState(false)
  if (unkept)
    return (
      <p className="draft-note" role="alert">
        <span>
          <Icon name="alert" size={16} /> {t('draft.unkept')}
        </span>
      </p>
    )
  // There from the start: what comes with the first letter would push the field away from under the hand.
  if (keptAt === null)
    return (
      <p className="draft-note">
        <span>
          <Icon name="device" size={16} /> {t('draft.none')}
        </span>
      </p>
    )
  const act = (
    <Button
      kind="danger"
      onClick={() => {
        setAsked(false)
        discard()
      }}
    >
      {t('draft.discard')}
    </Button>
  )
  return (
    <p className="draft-note">
      <span>
        <Icon name="check" size={16} /> {t('draft.kept', { at: readingTime(keptAt) })}
      </span>
      <Button kind="plain" onClick={() => setAsked(true)}>
        {t('draft.discard')}
      </Button>
      <Dialog open={asked} title={t('draft.title')} onClose={() => setAsked(false)} act={act} cancel={t('draft.keep')}>
        <p>{t('draft.text')}</p>
      </Dialog>
    </p>
  )
})
