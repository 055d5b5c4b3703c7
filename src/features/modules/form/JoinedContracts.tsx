import { useEffect, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { listJoinedContracts } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'

interface Props {
  type: ClientType
  conditions: readonly string[]
  any: boolean
}

/** While one goes on choosing, nobody is asked. */
const pauseMs = 400

/** What is sold stays as it is: an automodule joins a contract at its next change or extension. Which these are (D77). */
export function JoinedContracts({ type, conditions, any }: Props) {
  const { t } = useTranslation('modules')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [found, setFound] = useState<OutputOf<typeof listJoinedContracts> | 'unknown' | null>(null)
  const codes = conditions.join()
  useEffect(() => {
    setFound(null)
    if (codes === '') return
    let counts = true
    const timer = setTimeout(async () => {
      const result = await dispatch(callEndpoint(listJoinedContracts, { query: { type, conditions: codes, any } }))
      if (counts) setFound('output' in result ? result.output : 'unknown')
    }, pauseMs)
    return () => {
      counts = false
      clearTimeout(timer)
    }
    // The line is not used: its coming back is the reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [codes, any, type, line, dispatch])
  if (codes === '') return null
  return (
    <div className="module-joined" role="status">
      <strong>{t('joined.title')}</strong>
      <p>{t('joined.rule')}</p>
      {found === null && <p className="field-help">{t('joined.asking')}</p>}
      {found === 'unknown' && <p className="field-help">{t('joined.unknown')}</p>}
      {found !== null && found !== 'unknown' && (
        <>
          <p>{found.count === 0 ? t('joined.none') : t('joined.counted', { count: found.count })}</p>
          {found.data.length > 0 && (
            <ul>
              {found.data.map((one) => (
                <li key={one.code}>
                  {one.company_name} · <code>{one.service_code}</code> · {one.code}
                </li>
              ))}
            </ul>
          )}
          {found.count > found.data.length && (
            <p className="field-help">{t('joined.more', { count: found.count - found.data.length })}</p>
          )}
        </>
      )}
    </div>
  )
}
