import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router-dom'
import { isOffline, type Problem } from '#contract/problem.ts'
import { listBankTransfers } from '#contract/staff/bank-transfers.ts'
import { readMoneyOverview } from '#contract/staff/money.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useReadOnReturn } from '#state/live-changes.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { UpdatedTime } from '#ui/list/Freshness.tsx'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import type { MoneyCompanyPicker } from '#features/money/forms/company-picker.ts'
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
  const unsendableReason = useUnsendableReason(t('offline'))
  const { overview, transfers, problem, isFetching, refetch } = useMoneyRecords()
  const { asOf, isMissing } = tab === 'transfers' ? transfers : overview
  const openCount = transfers.record?.open.length ?? 0
  useReadOnReturn(refetch)
  const close = (mustRead: boolean) => {
    setDialog(null)
    if (mustRead) refetch()
  }
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
      {isMissing ? (
        <MissingPart problem={problem} />
      ) : tab === 'overview' ? (
        <OverviewSection overview={overview.record} FaultDialog={FaultDialog} onChanged={refetch} />
      ) : (
        <TransferSection
          transfers={transfers.record}
          asOf={asOf}
          isFetching={transfers.isFetching}
          CompanyPicker={CompanyPicker}
          onChanged={refetch}
        />
      )}
      {dialog === 'record' && <RecordTransferDialog onClose={close} onDone={() => close(true)} />}
      {dialog === 'import' && <ImportDialog onClose={() => setDialog(null)} onImported={refetch} />}
    </Page>
  )
}

/** The device has not stored it, and the server cannot be reached. Another problem is displayed above. */
function MissingPart({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('money-page')
  if (problem && !isOffline(problem)) return null
  return (
    <EmptyCard icon="offline" title={t('notHere')}>
      {t('notHereText')}
    </EmptyCard>
  )
}

/** Reads both parts. `isMissing`: the device has none, and the server did not send it. */
function useMoneyRecords() {
  const isOnline = useConnection().networkState === 'online'
  const overview = useRecord(readMoneyOverview, {})
  const transfers = useRecord(listBankTransfers, {})
  const describe = <T,>({ record, asOf, isFetching, problem }: RecordPart<T>) => ({
    record: record ?? undefined,
    asOf,
    isFetching,
    isMissing: record === null && (problem !== null || !isOnline),
  })
  const missing = [overview, transfers].find(({ record, problem }) => !record && problem)
  return {
    overview: describe(overview),
    transfers: describe(transfers),
    problem: missing?.problem ?? null,
    isFetching: overview.isFetching || transfers.isFetching,
    refetch() {
      void overview.refetch()
      void transfers.refetch()
    },
  }
}

interface RecordPart<T> {
  record: T | null | undefined
  asOf: number | null
  isFetching: boolean
  problem: Problem | null
}
