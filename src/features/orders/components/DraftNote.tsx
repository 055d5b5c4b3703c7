import { memo, useState } from 'react'
import { Button } from '#ui/Button.tsx'
import { Dialog } from '#ui/Dialog.tsx'
import { readingTime } from '#ui/Freshness.tsx'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'
import type { KeptDraft } from '#features/orders/components/useDraft.ts'

/** Says that nothing has to be saved here, and how to begin anew. */
export const DraftNote = memo(function DraftNote({ keptAt, discard, unkept }: Omit<KeptDraft, 'draft' | 'change'>) {
  const t = useWords('wizard')
  const [asked, setAsked] = useState(false)
  if (unkept)
    return (
      <p className="draft-note" role="alert">
        <Icon name="alert" size={16} /> {t('draft.unkept')}
      </p>
    )
  // There from the start: what comes with the first letter would push the field away from under the hand.
  if (keptAt === null)
    return (
      <p className="draft-note">
        <Icon name="device" size={16} /> {t('draft.none')}
      </p>
    )
  const footer = (
    <>
      <Button autoFocus onClick={() => setAsked(false)}>
        {t('draft.keep')}
      </Button>
      <Button
        kind="danger"
        onClick={() => {
          setAsked(false)
          discard()
        }}
      >
        {t('draft.discard')}
      </Button>
    </>
  )
  return (
    <p className="draft-note">
      <Icon name="check" size={16} /> {t('draft.kept', { at: readingTime(keptAt) })}
      <Button kind="plain" onClick={() => setAsked(true)}>
        {t('draft.discard')}
      </Button>
      <Dialog open={asked} title={t('draft.title')} onClose={() => setAsked(false)} footer={footer}>
        <p>{t('draft.text')}</p>
      </Dialog>
    </p>
  )
})
