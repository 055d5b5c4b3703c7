import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { readAmount } from '#domain/money.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { downloadProforma, openProforma } from '#features/orders/bank-transfer/print-proforma.ts'
import type { Proforma } from '#features/orders/bank-transfer/useProforma.ts'

interface ProformaDetailsProps {
  proforma: Proforma
  /** Returns to the choice of methods. */
  onLeave: () => void
}

/** What the payer needs at the bank: amount, reference and account, with buttons that copy them, and what happens with late money. */
export function ProformaDetails({ proforma, onLeave }: ProformaDetailsProps) {
  const { t } = useTranslation('payment')
  const { code, currency, transfer, credit, due, account } = proforma
  const title = useRef<HTMLHeadingElement>(null)
  // The button that had the focus is gone.
  useEffect(() => title.current?.focus(), [])
  return (
    <section className="payment-transfer" aria-labelledby="payment-transfer">
      <h3 id="payment-transfer" ref={title} tabIndex={-1}>
        {t('transfer.title')}
      </h3>
      <p>{t('transfer.text')}</p>
      <DescriptionList>
        <DescriptionItem label={t('transfer.amount')}>
          <CopyText text={transfer}>
            <Amount currency={currency} amount={transfer} />
          </CopyText>
        </DescriptionItem>
        <DescriptionItem label={t('transfer.reference')}>
          <CopyText text={code} />
        </DescriptionItem>
        <DescriptionItem label={t('transfer.holder')}>
          <CopyText text={account.holder}>{account.holder}</CopyText>
        </DescriptionItem>
        <DescriptionItem label={t('transfer.bank')}>{account.bank}</DescriptionItem>
        <DescriptionItem label={t('transfer.account')}>
          <CopyText text={account.account} />
        </DescriptionItem>
        {account.bic !== null && (
          <DescriptionItem label={t('transfer.bic')}>
            <CopyText text={account.bic} />
          </DescriptionItem>
        )}
        {account.address !== null && <DescriptionItem label={t('transfer.address')}>{account.address}</DescriptionItem>}
        {due !== null && <DescriptionItem label={t('transfer.due')}>{due}</DescriptionItem>}
      </DescriptionList>
      {readAmount(credit) > 0n && <p>{t('transfer.creditText', { amount: formatAmount(currency, credit) })}</p>}
      <p className="field-help">{t(due === null ? 'transfer.rest' : 'transfer.late')}</p>
      <Button kind="plain" onClick={onLeave}>
        {t('transfer.leave')}
      </Button>
    </section>
  )
}

/** Open and save the PDF of the pro-forma invoice, for the footer of the dialog. */
export function ProformaButtons({ proforma: { id, code } }: Pick<ProformaDetailsProps, 'proforma'>) {
  const { t } = useTranslation('payment')
  const offlineReason = useOfflineReason(t('transfer.offline'))
  const opening = useAction(openProforma)
  const download = useAction(downloadProforma)
  return (
    <>
      <Button
        kind="primary"
        icon="print"
        isBusy={opening.isBusy}
        disabledReason={offlineReason}
        onClick={() => void opening.run(id)}
      >
        {t('transfer.open')}
      </Button>
      <Button
        icon="install"
        isBusy={download.isBusy}
        disabledReason={offlineReason}
        onClick={() => void download.run({ id, code })}
      >
        {t('transfer.download')}
      </Button>
    </>
  )
}
