import { memo, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { readingTime } from '#ui/list/Freshness.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { WizardDraft } from '#features/orders/draft/useWizardDraft.ts'

/** Says that nothing has to be saved here, and how to begin anew. */
export const DraftNote = memo(function DraftNote({
  keptAt,
  discard,
  unkept,
}: Pick<WizardDraft, 'keptAt' | 'discard' | 'unkept'>) {
  const { t } = useTranslation('wizard')
  const [asked, setAsked] = useState(false)
  if (unkept)
    return (
      <p className="draft-note" role="alert">
        <Signed by="alert">{t('draft.unkept')}</Signed>
      </p>
    )
  // There from the start: what comes with the first letter would push the field away from under the hand.
  if (keptAt === null)
    return (
      <p className="draft-note">
        <Signed by="device">{t('draft.none')}</Signed>
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
      <Signed by="check">{t('draft.kept', { at: readingTime(keptAt) })}</Signed>
      <Button kind="plain" onClick={() => setAsked(true)}>
        {t('draft.discard')}
      </Button>
      <Dialog open={asked} title={t('draft.title')} onClose={() => setAsked(false)} act={act} cancel={t('draft.keep')}>
        <p>{t('draft.text')}</p>
      </Dialog>
    </p>
  )
})

/** The sign stays beside its first word where the line is too short for all of them. */
const Signed = ({ by, children }: { by: IconName; children: string }) => (
  <span>
    <Icon name={by} size={16} /> {children}
  </span>
)
