import { type ComponentType, lazy, Suspense, useMemo, useState } from 'react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { documentStates } from '#contract/invoices.ts'
import { listCompanies } from '#contract/orders.ts'
import { isAllowed, isProvider } from '#domain/access.ts'
import { currencies } from '#domain/money.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import type { SelectFilter } from '#patterns/list-page/ListFilters.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { useHistoryStep } from '#patterns/useHistoryStep.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { InvoiceStyles } from '#features/invoices/InvoiceStyles.tsx'
import { buildInvoiceColumns } from '#features/invoices/list/columns.tsx'
import { buildInvoiceExportColumns, type ExportedCompany } from '#features/invoices/list/export-columns.ts'
import { allInvoicesList, invoicesList } from '#features/invoices/slice.ts'
import { allInvoicesView, invoicesView, type InvoicesView, listYears, shownMethods } from '#features/invoices/view.ts'

const InvoiceDrawer = lazy(async () => ({
  default: (await import('#features/invoices/detail/InvoiceDrawer.tsx')).InvoiceDrawer,
}))

/** Loaded after the list. If that fails, the page is shown without it. */
const CreditBalance = lazy<ComponentType<{ companyId: number; readCount: number }>>(async () => ({
  default: await import('#features/invoices/credit/CreditBalance.tsx').then(
    ({ CreditBalance: LoadedBalance }) => LoadedBalance,
    () => MissingBalance,
  ),
}))
const MissingBalance = () => null

/** Lets the provider's staff find a customer by name. The app passes it, because it belongs to the orders. */
export type InvoiceCompanyFilter = ComponentType<{ companyId: number | null; onChoose: (id: number | null) => void }>

/** Lists the issued invoices and credit notes (decision 121). Staff see those of all companies, or of the company in the address. */
export function InvoicesPage({ CompanyFilter }: { CompanyFilter: InvoiceCompanyFilter }) {
  const { t } = useTranslation('invoices')
  const { user, caller } = useSignedInSession()
  const { list, slice, companyId, canSelectCompany, readCount } = useInvoicesList()
  const { view, changeView, rows, isFetching, setQuery, definition } = list
  const isAll = companyId === null
  const closeDrawer = useCloseDrawer(view.open !== null, () =>
    setQuery(definition.write({ ...view, open: null }), { replace: true }),
  )
  const columns = useMemo(() => buildInvoiceColumns(t, isAll), [t, isAll])
  const isOwn = companyId === user.company_id
  const company = useExportedCompany(companyId, canSelectCompany)
  const name = view.year === null ? t('title') : t('exportOfYear', { year: view.year })
  return (
    <ListPage
      list={list}
      title={t('title')}
      intro={isAll ? t('leadAll') : isOwn ? t('lead', { company: user.company_name }) : t('leadOther')}
      beforeFilters={
        <>
          <InvoiceStyles />
          {companyId !== null && (
            <Suspense>
              <CreditBalance companyId={companyId} readCount={readCount} />
            </Suspense>
          )}
        </>
      }
      exportAs={{
        name,
        companyCode: isAll ? null : company?.code,
        buildColumns: () => buildInvoiceExportColumns(t, isAll ? 'each' : company),
      }}
      searchLabel={t('filter.search')}
      extraFilters={
        canSelectCompany && <CompanyFilter companyId={view.company} onChoose={(company) => changeView({ company })} />
      }
      filters={useFilters(t, view.year, isProvider(caller))}
      lastFilters={<StateFilter view={view} onChange={changeView} />}
      listClass={isAll ? 'invoice-list of-all' : 'invoice-list'}
      caption={isAll ? t('captionAll') : t('caption')}
      formatCount={(numbers) => t('counted', numbers)}
      columns={columns}
      getRowName={({ row }) => row.code}
      getRowPath={({ row }) => `?${definition.write(definition.change(view, { open: row.id }))}`}
      refreshLabel={t('refresh')}
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.showAll') },
        none: (
          <EmptyState icon="invoice" title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        ),
      }}
    >
      {view.open !== null && (
        <InvoiceDrawer
          id={view.open}
          slice={slice}
          companyId={companyId}
          isFetching={isFetching || rows === undefined}
          onClose={closeDrawer}
          onChanged={() => list.refetch()}
        />
      )}
    </ListPage>
  )
}

interface StateFilterProps {
  view: InvoicesView
  onChange: (change: Partial<InvoicesView>) => void
}

/** The filter of states, with credit notes as one of its choices. */
function StateFilter({ view, onChange }: StateFilterProps) {
  const { t } = useTranslation('invoices')
  return (
    <SelectField
      name="state"
      label={t('column.state')}
      options={[
        { value: '', label: t('filter.all') },
        ...documentStates.map((state) => ({ value: state, label: t(`state.${state}`) })),
        { value: 'creditNote', label: t('filter.creditNotes') },
      ]}
      value={view.state ?? (view.kind === 'creditNote' ? view.kind : '')}
      onChange={({ target: { value } }) =>
        onChange({ ...invoicesView.parse('state', value), ...invoicesView.parse('kind', value) })
      }
    />
  )
}

function useInvoicesList() {
  const { user, caller } = useSignedInSession()
  // The address may contain any company id, but only the provider's staff may see other companies.
  const canSelectCompany = isAllowed('staffOrder', caller)
  const [query] = useSearchParams()
  const companyId = canSelectCompany ? invoicesView.read(query).company : user.company_id
  const isAll = companyId === null
  const slice = isAll ? allInvoicesList : invoicesList
  const list = useListPage(slice, isAll ? allInvoicesView : invoicesView, { scope: companyId })
  const [readCount, setReadCount] = useState(0)
  const withCredit = (read: () => void) => () => {
    read()
    setReadCount((count) => count + 1)
  }
  return {
    list: { ...list, refetch: withCredit(list.refetch), refresh: withCredit(list.refresh) },
    slice,
    companyId,
    canSelectCompany,
    /** How often the user or a refund had the list read again. */
    readCount,
  }
}

/** Returns the company that the staff have selected, which the exported file names. Null for customers, whose file has only their own. */
function useExportedCompany(companyId: number | null, canSelectCompany: boolean): ExportedCompany | null {
  const isSelected = canSelectCompany && companyId !== null
  const { record } = useRecord(listCompanies, isSelected ? { query: { id: companyId } } : null)
  return isSelected ? (record?.[0] ?? { code: `#${companyId}`, name: '' }) : null
}

/** Closing goes back in the history only if opening the drawer added a step, that is, not after a link or a reload. */
function useCloseDrawer(isOpen: boolean, removeFromAddress: () => void) {
  const navigate = useNavigate()
  const hasHistoryStep = useHistoryStep(isOpen)
  return () => (hasHistoryStep.current ? void navigate(-1) : removeFromAddress())
}

function useFilters(
  t: TFunction<'invoices'>,
  chosenYear: number | null,
  isStaff: boolean,
): SelectFilter<InvoicesView>[] {
  const thisYear = Number(useToday(useSettings()?.time_zone).slice(0, 4))
  const allLabel = t('filter.all')
  // Only the staff can simulate a payment.
  const methods = shownMethods.filter((method) => method !== 'simulate' || isStaff)
  return [
    {
      name: 'year',
      label: t('filter.year'),
      allLabel,
      choices: listYears(thisYear, chosenYear).map((year) => ({ value: year, label: String(year) })),
    },
    {
      name: 'currency',
      label: t('fact.currency'),
      allLabel,
      choices: currencies.map((currency) => ({ value: currency, label: currency })),
    },
    {
      name: 'method',
      label: t('column.method'),
      allLabel,
      choices: methods.map((method) => ({ value: method, label: t(`method.${method}`) })),
    },
  ]
}
