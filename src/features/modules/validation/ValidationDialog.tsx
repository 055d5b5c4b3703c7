import { Icon } from '#ui/icons/Icon.tsx'
import { readingTime } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { type Faults, useValidation } from '#features/modules/validation/useValidation.ts'

/** What the apps of a set lack, in a panel for each kind of fault (contracts 8, M140, M141). */
export function ValidationDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('modules')
  const found = useValidation(codes)
  const faults = found.kind === 'tested' ? found.faults : null
  return (
    <Dialog
      open
      title={faults && faults.apps_missing.length > 0 ? t('test.missing') : t('test.title', { count: codes.length })}
      onClose={onClose}
    >
      {found.kind === 'asking' && <Skeleton lines={3} />}
      {found.kind === 'problem' && <ProblemNote problem={found.problem} focus />}
      {found.kind === 'notHere' && <p>{t('test.notHere')}</p>}
      {faults && <Panels faults={faults} />}
      {found.kind === 'tested' && found.required.length > 0 && (
        <p className="field-help">{t('test.along', { codes: found.required.join(', ') })}</p>
      )}
      {found.kind === 'tested' && found.asOf !== null && (
        <p className="field-help">{t('test.here', { at: readingTime(found.asOf) })}</p>
      )}
    </Dialog>
  )
}

function Panels({ faults: { apps_missing: missing, apps_loop: loops, apps_incompatible: old } }: { faults: Faults }) {
  const { t } = useTranslation('modules')
  if (missing.length + loops.length + old.length === 0)
    return (
      <p className="module-fine">
        <Icon name="check" /> {t('test.fine')}
      </p>
    )
  return (
    <div className="module-faults">
      {missing.length > 0 && (
        <section>
          <h3>{t('test.missingPanel', { count: missing.length })}</h3>
          <ul>
            {missing.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {loops.length > 0 && (
        <section>
          <h3>{t('test.loopPanel')}</h3>
          <ul>
            {loops.map((path) => (
              <li key={path.join()}>
                <code>{[...path, path[0]].join(' → ')}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {old.length > 0 && (
        <section>
          <h3>{t('test.oldPanel')}</h3>
          <table className="module-table">
            <thead>
              <tr>
                <th scope="col">{t('test.app')}</th>
                <th scope="col">{t('test.required')}</th>
              </tr>
            </thead>
            <tbody>
              {old.map(({ app_code: app, err_data: needs }) => (
                <tr key={app}>
                  <th scope="row">
                    <code>{app}</code>
                  </th>
                  <td>{needs.map(({ code, version }) => `${code} ${version}`).join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  )
}
