import '#features/orders/wizard-words.ts'
import { useEffect, useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { ClientType } from '#domain/access.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { RequirePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { useWizardDraft } from '#features/orders/draft/useWizardDraft.ts'
import { usePriceData } from '#features/orders/quote/usePriceData.ts'
import { useCarriedCompany } from '#features/orders/wizard/useCarriedCompany.ts'
import { useCopyOrder } from '#features/orders/wizard/useCopyOrder.ts'
import { useToday } from '#ui/page/use-today.ts'
import { type OwnUnpaidOrder, useUnpaidOrders } from '#features/orders/payment/useUnpaidOrders.ts'
import { FinishedOrder } from '#features/orders/wizard/steps/FinishedOrder.tsx'
import type { WizardInput } from '#features/orders/wizard/state/useWizard.ts'
import { Wizard } from '#features/orders/wizard/Wizard.tsx'
import { isWorthSaving, createDraft } from '#features/orders/draft/wizard-draft.ts'
import { createWizardValues, copyToWizardValues } from '#features/orders/draft/wizard-form.ts'
import type { PriceListInForce } from '#features/orders/quote/local-quote.ts'

/** Page for ordering a service in four steps (contracts 2). Without a price list nothing can be ordered (M68). */
export function NewContractPage() {
  const { t } = useTranslation('wizard')
  return (
    <Page title={t('title')} crumbs={[{ label: t('crumb'), to: '/app/contract' }]}>
      <OrderStyles />
      <RequirePriceList>{({ type, price }) => <OrderingLoader key={type} type={type} list={price} />}</RequirePriceList>
    </Page>
  )
}

function OrderingLoader({ type, list }: { type: ClientType; list: PriceListInForce }) {
  const { t } = useTranslation('wizard')
  const { caller } = useSignedInSession()
  const { priceData, modules, settings } = usePriceData(type, list)
  // The unpaid orders are fetched in parallel with the prices.
  const unpaidOrders = useUnpaidOrders(caller.companyId, type)
  if (priceData && settings.record)
    return <WizardLoader {...{ type, unpaidOrders, priceData }} currencies={settings.record.currencies} />
  return (
    <LoadPlaceholder
      problem={modules.problem ?? settings.problem}
      title={t('missing')}
      offlineTitle={t('missing')}
      offlineText={t('missingOffline')}
      lines={8}
      onRetry={() => void Promise.all([modules.refetch(), settings.refetch()])}
    />
  )
}

/** Parses `?step=4&order=12`, the address of a finished order. Returns the order's id, or null. */
function getFinishedOrderId(query: URLSearchParams): number | null {
  const id = query.get('step') === '4' ? query.get('order') : null
  return id !== null && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : null
}

type WizardLoaderProps = Omit<WizardInput, 'today' | 'draftState' | 'unpaidOrders'> & {
  unpaidOrders: readonly OwnUnpaidOrder[] | null
}

function WizardLoader({ type, priceData, currencies, unpaidOrders }: WizardLoaderProps) {
  const { t } = useTranslation('wizard')
  const today = useToday(priceData.timeZone)
  const emptyValues = useMemo(() => createWizardValues(priceData.list, today), [priceData.list, today])
  const draftState = useWizardDraft(type, emptyValues)
  const { row, onCopied: handleCopied } = useCopyOrder()
  const { company, onCarried } = useCarriedCompany()
  const [query, setQuery] = useSearchParams()
  const finishedOrderId = getFinishedOrderId(query)
  const isEmpty = draftState !== null && draftState.draft.step === 0 && !isWorthSaving(draftState.draft, emptyValues)
  const copyOrder = () => {
    if (!row || !draftState) return
    draftState.updateDraft(() => createDraft(copyToWizardValues(row, emptyValues, priceData.list)))
    handleCopied(true)
  }
  const startForCompany = () => {
    if (!company || !draftState) return
    draftState.updateDraft(() => createDraft({ ...emptyValues, company_id: String(company.id) }))
    onCarried()
  }
  // An existing draft is replaced only after the user has confirmed.
  useEffect(() => {
    if (row && isEmpty) copyOrder()
    else if (company && draftState?.draft.values.company_id === String(company.id)) onCarried()
    else if (company && isEmpty) startForCompany()
  })
  if (!draftState || !unpaidOrders) return <Skeleton lines={8} />
  // After a reload, the draft of the finished order no longer exists, so its result is shown here. Before a reload, the wizard shows it.
  if (finishedOrderId !== null && draftState.draft.step !== 3) {
    const startNewOrder = () => setQuery({}, { replace: true })
    return (
      <FinishedOrder
        key={finishedOrderId}
        id={finishedOrderId}
        today={today}
        onNone={startNewOrder}
        onAgain={startNewOrder}
      />
    )
  }
  return (
    <>
      {row && !isEmpty && (
        <DraftChoice
          text={t('again.text', { code: row.code })}
          startLabel={t('again.fill', { code: row.code })}
          onStart={copyOrder}
          onKeep={() => handleCopied(false)}
        />
      )}
      {company && !isEmpty && (
        <DraftChoice
          text={t('carried.text', { company: company.name })}
          startLabel={t('carried.start', { company: company.name })}
          onStart={startForCompany}
          onKeep={onCarried}
        />
      )}
      <Wizard {...{ priceData, currencies, type, today, draftState, unpaidOrders }} />
    </>
  )
}

interface DraftChoiceProps {
  text: string
  startLabel: string
  onStart: () => void
  onKeep: () => void
}

/** Asks whether to replace the draft on this device. */
function DraftChoice({ text, startLabel, onStart, onKeep }: DraftChoiceProps) {
  const { t } = useTranslation('wizard')
  return (
    <div className="wizard-note pending" role="status">
      <div>
        <p>{text}</p>
        <div className="page-form-acts">
          <Button onClick={onStart}>{startLabel}</Button>
          <Button onClick={onKeep}>{t('again.keep')}</Button>
        </div>
      </div>
    </div>
  )
}
