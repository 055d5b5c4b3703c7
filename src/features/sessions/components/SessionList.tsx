import '#features/sessions/style.css'
import '#features/sessions/translations.ts'
import { useMemo, useRef, useState } from 'react'
import { endSession, listSessions, type SessionRow } from '#contract/sessions.ts'
import { useListExport } from '#patterns/list-export/useListExport.tsx'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { useOnlineResponse } from '#state/use-online-response.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { useMedia } from '#ui/display/useMedia.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useClockText } from '#ui/page/use-clock-text.ts'
import { Tag } from '#ui/display/Tag.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { i18n } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'
import { EndOtherSessionsDialog } from '#features/sessions/components/EndOtherSessionsDialog.tsx'
import { useDeviceNames } from '#features/sessions/use-device-names.ts'
import { useLastUse } from '#features/sessions/useLastUse.ts'

/** Ends a session. If the session has already ended, this is treated as success. */
const endOneSession =
  (id: string): AppThunk<CallResult<null>> =>
  async (dispatch) => {
    const result = await dispatch(callEndpoint(endSession, { params: { id } }))
    return result.kind === 'problem' && result.problem.code === 'NOT_FOUND' ? { kind: 'fresh', output: null } : result
  }

export function SessionList() {
  const { t } = useTranslation('sessions')
  const disabledReason = useDisabledReason()
  const { response: rows, problem: readProblem, reload } = useOnlineResponse(listSessions, {}, disabledReason !== null)
  const { run: end, problem } = useAction(endOneSession)
  const [endingId, setEndingId] = useState<string | null>(null)
  const [isDialogOpen, setDialogOpen] = useState(false)
  const headingRef = useRef<HTMLHeadingElement>(null)
  const { exportButton, dialog: exportDialog } = useSessionExport(rows)

  async function handleEnd({ id }: SessionRow) {
    setEndingId(id)
    const isEnded = (await end(id)).kind !== 'problem'
    if (isEnded) showToast({ kind: 'done', text: t('ended') })
    await reload()
    setEndingId(null)
    // The focused button was removed with its row, so the heading gets the focus.
    if (isEnded) headingRef.current?.focus()
  }

  async function handleOthersEnded() {
    await reload()
    // The button that opened the dialog was removed with the other sessions.
    headingRef.current?.focus()
  }

  const hasOthers = rows?.some(({ current }) => !current) ?? false
  return (
    <section className="card sessions" aria-labelledby="sessions-list">
      <div className="sessions-head">
        <h2 id="sessions-list" tabIndex={-1} ref={headingRef}>
          {t('admin.title')}
        </h2>
        <div className="sessions-acts">
          {exportButton && (
            <Button kind="plain" icon="install" aria-haspopup="dialog" onClick={exportButton.onOpen}>
              {exportButton.label}
            </Button>
          )}
          {hasOthers && (
            <Button
              kind="plain"
              aria-haspopup="dialog"
              disabledReason={disabledReason}
              onClick={() => setDialogOpen(true)}
            >
              {t('endOthers')}
            </Button>
          )}
        </div>
      </div>
      <ProblemNote problem={problem} title={t('failed')} shouldFocus />
      <ProblemNote problem={readProblem} title={t('unread')} onRetry={() => void reload()} />
      {!rows && !readProblem && <Skeleton />}
      {rows && (
        <ul>
          {rows.map((row) => (
            <Session
              key={row.id}
              row={row}
              isBusy={endingId === row.id}
              disabledReason={disabledReason}
              onEnd={() => void handleEnd(row)}
            />
          ))}
        </ul>
      )}
      {rows && !hasOthers && <p className="field-help">{t('only')}</p>}
      {isDialogOpen && (
        <EndOtherSessionsDialog onClose={() => setDialogOpen(false)} onEnded={() => void handleOthersEnded()} />
      )}
      {exportDialog}
    </section>
  )
}

/** Offers the sessions as a file. They are of one user, so its name has no company. */
function useSessionExport(rows: readonly SessionRow[] | null) {
  const { t } = useTranslation('sessions')
  const formatDeviceName = useDeviceNames()
  const source = useMemo(() => ({ rows: rows ?? [], asOf: getBusinessNow(), isComplete: true }), [rows])
  return useListExport(
    rows && {
      name: t('admin.title'),
      companyCode: null,
      source,
      isFiltered: false,
      namespaces: ['export'],
      buildColumns: (): ExportColumn<SessionRow>[] => {
        const tExport = i18n.getFixedT(null, 'export')
        return [
          [t('column.device'), formatDeviceName],
          [t('column.current'), ({ current }) => tExport(current ? 'yes' : 'no')],
          [t('column.loggedIn'), ({ create_time }) => create_time],
          [t('column.lastUsed'), ({ last_time }) => last_time],
          [t('column.network'), ({ network }) => network],
        ]
      },
    },
  )
}

function Session({
  row,
  isBusy,
  disabledReason,
  onEnd,
}: {
  row: SessionRow
  isBusy: boolean
  disabledReason: string | null
  onEnd: () => void
}) {
  const { t } = useTranslation('sessions')
  const deviceName = useDeviceNames()(row)
  const isPhone = useMedia('(width < 30rem)')
  const formatLastUse = useLastUse()
  const lastUse = useClockText((now) => formatLastUse(row.last_time, now))
  return (
    <li>
      <Icon name={row.form === 'mobile' || row.form === 'tablet' ? 'device' : 'system'} />
      <div>
        <p className="session-name">
          <span>{deviceName}</span> {row.current && <Tag tone="positive">{t('current')}</Tag>}
        </p>
        <p className="field-help session-facts">
          {!row.current && <BusinessTime time={row.last_time}>{lastUse}</BusinessTime>}
          <BusinessTime time={row.create_time}>{t('begun', { time: row.create_time })}</BusinessTime>
          <span>{t('from', { network: row.network })}</span>
        </p>
      </div>
      {!row.current && (
        <Button kind={isPhone ? 'plain' : 'quiet'} isBusy={isBusy} disabledReason={disabledReason} onClick={onEnd}>
          {t(isPhone ? 'endShort' : 'end')} <span className="sr-only">{t('endOne', { device: deviceName })}</span>
        </Button>
      )}
    </li>
  )
}

function useDisabledReason(): string | null {
  const { t } = useTranslation('profile')
  const { networkState: connection } = useConnection()
  return connection === 'online' ? null : t('sessions.offline')
}
