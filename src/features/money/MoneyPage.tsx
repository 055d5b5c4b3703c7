import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router-dom'
import { listBankTransfers } from '#contract/staff/bank-transfers.ts'
import { readMoneyOverview } from '#contract/staff/money.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { UpdatedTime } from '#ui/list/Freshness.tsx'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import type { MoneyCompanyPicker } from '#features/money/company-picker.ts'
import { MoneyStyles } from '#features/money/MoneyStyles.tsx'
import type { FaultDialog } from '#features/money/overview/CheckCard.tsx'
import { OverviewSection } from '#features/money/overview/OverviewSection.tsx'
import { ImportDialog } from '#features/money/transfers/ImportDialog.tsx'
import { RecordTransferDialog } from '#features/money/transfers/RecordTransferDialog.tsx'
import { TransferSection } from '#features/money/transfers/TransferSection.tsx'

interface MoneyPageProps {
  CompanyPicker: MoneyCompanyPicker
  FaultDialog: FaultDialog
}

/** All money of the provider, and the bank transfers (decision 124). Reading works offline; changes need a connection. */
export function MoneyPage({ CompanyPicker, FaultDialog }: MoneyPageProps) {
  const { t } = useTranslation('money-page')
  const [query] = useSearchParams()
  const tab = query.get('tab') === 'transfers' ? 'transfers' : 'overview'
  const [dialog, setDialog] = useState<'record' | 'import' | null>(null)
  const isOnline = useConnection().networkState === 'online'
  const unsendableReason = useUnsendableReason(t('offline'))
  const overview = useRecord(readMoneyOverview, {})
  const transfers = useRecord(listBankTransfers, {})
  const refetch = () => {
    void overview.refetch()
    void transfers.refetch()
  }
  const openCount = transfers.record?.open.length ?? 0
  const { record, asOf } = tab === 'transfers' ? transfers : overview
  const records = [overview, transfers]
  const problem = records.find((candidate) => !candidate.record && candidate.problem)?.problem ?? null
  const isFetching = records.some((candidate) => candidate.isFetching)
  return (
    <Page
      title={t('title')}
      intro={asOf === null ? t('lead') : <UpdatedTime asOf={asOf} />}
      action={
        <Button
          kind="primary"
          icon="plus"
          aria-haspopup="dialog"
          disabledReason={unsendableReason}
          onClick={() => setDialog('record')}
        >
          {t('action.record')}
        </Button>
      }
      tools={[
        {
          key: 'import',
          label: t('action.import'),
          icon: 'upload',
          hasDialog: true,
          disabledReason: unsendableReason,
          onSelect: () => setDialog('import'),
        },
        { key: 'refresh', label: t('action.refresh'), icon: 'refresh', isBusy: isFetching, onSelect: refetch },
      ]}
    >
      <MoneyStyles />
      <TabLinks
        label={t('title')}
        currentName={tab}
        tabs={[
          { name: 'overview', label: t('tab.overview') },
          {
            name: 'transfers',
            label: openCount > 0 ? t('tab.openTransfers', { count: openCount }) : t('tab.transfers'),
            search: '?tab=transfers',
          },
        ]}
      />
      <LoadProblem problem={problem} onRetry={refetch} />
      {tab === 'overview' && !problem && (
        <OverviewSection overview={overview.record} isOnline={isOnline} FaultDialog={FaultDialog} onChanged={refetch} />
      )}
      {tab === 'transfers' &&
        !problem &&
        (record === null && !isOnline ? (
          <EmptyCard icon="offline" title={t('notHere')}>
            {t('notHereText')}
          </EmptyCard>
        ) : (
          <TransferSection
            transfers={transfers.record ?? undefined}
            asOf={transfers.asOf}
            isFetching={transfers.isFetching}
            CompanyPicker={CompanyPicker}
            onChanged={refetch}
          />
        ))}
      {dialog === 'record' && (
        <RecordTransferDialog
          onClose={() => setDialog(null)}
          onDone={() => {
            setDialog(null)
            refetch()
          }}
        />
      )}
      {dialog === 'import' && <ImportDialog onClose={() => setDialog(null)} onImported={refetch} />}
    </Page>
  )
}
