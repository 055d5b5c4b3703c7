import { useTranslation } from 'react-i18next'
import type { BankTransferRow } from '#contract/staff/bank-transfers.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'

/** What the bank says about a transfer. */
export function TransferFacts({ transfer }: { transfer: BankTransferRow }) {
  const { t } = useTranslation('bank-transfers')
  const { day, sender, reference, bank_reference: bankReference } = transfer
  return (
    <DescriptionList>
      <DescriptionItem label={t('field.day')}>{day}</DescriptionItem>
      <DescriptionItem label={t('field.sender')}>{sender}</DescriptionItem>
      {reference !== '' && <DescriptionItem label={t('field.reference')}>{reference}</DescriptionItem>}
      {bankReference !== '' && <DescriptionItem label={t('field.bankReference')}>{bankReference}</DescriptionItem>}
    </DescriptionList>
  )
}
