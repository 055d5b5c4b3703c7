import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { useTranslation } from 'react-i18next'
import type { ChangeDrafts } from '#features/orders/change/useChangeDraft.ts'

export function ChangeDraftOffer({ drafts: { offer, onContinue, onDiscard } }: { drafts: ChangeDrafts }) {
  const { t } = useTranslation('contract')
  if (!offer) return null
  return (
    <DraftOffer
      savedAt={offer.savedAt}
      changedText={offer.isChanged ? t('draftChanged') : undefined}
      onContinue={onContinue}
      onDiscard={onDiscard}
    />
  )
}
