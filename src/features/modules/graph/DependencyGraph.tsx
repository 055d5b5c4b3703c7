import { useId, useMemo } from 'react'
import { Link } from 'react-router-dom'
import type { Id } from '#contract/endpoint.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { around, boxSize, type Layout, maxBoxes, placed } from '#features/modules/graph/graph-layout.ts'
import { pathOf } from '#features/modules/paths.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

/** What needs what, as a picture: the modules of the list's page and all that they are tied to. `shown`: their codes. */
export function DependencyGraph({ shown }: { shown: readonly string[] }) {
  const { t } = useTranslation('modules')
  const heading = useId()
  const { modules } = useCatalogue()
  const key = shown.join()
  const drawing = useMemo(() => {
    if (!modules) return null
    const found = around(modules, key.split(','))
    return { ids: new Map(modules.map(({ code, id }) => [code, id])), full: found.length >= maxBoxes, ...placed(found) }
  }, [modules, key])
  return (
    <section className="card module-graph" aria-labelledby={heading}>
      <h2 id={heading}>{t('graph.title')}</h2>
      <p className="field-help">{t('graph.text')}</p>
      {drawing ? <Drawing {...drawing} /> : <Skeleton lines={3} />}
      {drawing?.full && <p className="field-help">{t('graph.full', { number: maxBoxes })}</p>}
    </section>
  )
}

/** As large as its text: whoever reads in large letters has a large picture. */
const rem = (px: number) => `${px / 16}rem`

function Drawing({ width, height, boxes, lines, ids }: Layout & { ids: ReadonlyMap<string, Id> }) {
  const { t } = useTranslation('modules')
  const arrow = useId()
  return (
    // biome-ignore lint: what is wider than its room is scrolled by keys too
    <div className="module-graph-room" tabIndex={0} role="group" aria-label={t('graph.title')}>
      <div className="module-graph-sheet" style={{ width: rem(width), height: rem(height) }}>
        <svg viewBox={`0 0 ${width} ${height}`} width="100%" height="100%" aria-hidden="true">
          <defs>
            <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 8 4 0 8z" />
            </marker>
          </defs>
          {lines.map(({ from, to, isCondition, points }) => (
            <polyline
              key={`${from} ${to}`}
              className={isCondition ? 'condition' : ''}
              points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
              markerEnd={`url(#${arrow})`}
            />
          ))}
        </svg>
        <ul>
          {boxes.map(({ code, name, hidden, dependencies, conditions, x, y }) => (
            <li
              key={code}
              style={{ left: rem(x), top: rem(y), width: rem(boxSize.width), height: rem(boxSize.height) }}
            >
              <Link
                to={pathOf(hidden ? 'hidden' : 'visible', ids.get(code))}
                className={hidden ? 'hidden-box' : ''}
                title={`${name} ${code}`}
              >
                <strong>{name}</strong>
                <code>{code}</code>
                <span className="sr-only">
                  {dependencies.length > 0 && t('graph.needs', { codes: dependencies.join(', ') })}
                  {hidden && t('graph.joins', { codes: conditions.join(', ') })}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
