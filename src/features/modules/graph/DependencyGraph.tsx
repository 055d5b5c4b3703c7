import { useEffect, useId, useMemo, useRef } from 'react'
import { Link } from 'react-router-dom'
import type { RowRef } from '#contract/endpoint.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import {
  collectConnected,
  boxSize,
  type GraphLayout,
  maxBoxes,
  layoutModules,
} from '#features/modules/graph/graph-layout.ts'
import { toModulePath } from '#features/modules/module-path.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'
import { joinList } from '#ui/i18n/messages.ts'

/** Draws the listed modules and the modules connected to them, at most `maxBoxes`. `listedCodes`: codes on the list's page. */
export function DependencyGraph({ listedCodes }: { listedCodes: readonly string[] }) {
  const { t } = useTranslation('modules')
  const headingId = useId()
  const { modules } = useCatalogue()
  const codesKey = listedCodes.join()
  const drawing = useMemo(() => {
    if (!modules) return null
    const connectedModules = collectConnected(modules, codesKey.split(','))
    return {
      idsByCode: new Map(modules.map(({ code, id }) => [code, id])),
      isFull: connectedModules.length >= maxBoxes,
      ...layoutModules(connectedModules),
    }
  }, [modules, codesKey])
  const section = useRef<HTMLElement>(null)
  const isDrawn = drawing !== null
  // The card opens below the table, mostly out of view.
  useEffect(() => {
    if (isDrawn) section.current?.scrollIntoView?.({ block: 'nearest' })
  }, [isDrawn])
  return (
    <section ref={section} className="card module-graph" aria-labelledby={headingId}>
      <h2 id={headingId}>{t('graph.title')}</h2>
      <p className="field-help">{t('graph.text')}</p>
      {drawing ? <GraphDrawing {...drawing} /> : <Skeleton lines={3} />}
      {drawing?.isFull && <p className="field-help">{t('graph.full', { number: maxBoxes })}</p>}
    </section>
  )
}

/** Sizes are in rem, so that the drawing grows with the user's font size. */
const toRem = (px: number) => `${px / 16}rem`

function GraphDrawing({
  width,
  height,
  boxes,
  lines,
  idsByCode,
}: GraphLayout & { idsByCode: ReadonlyMap<string, RowRef> }) {
  const { t } = useTranslation('modules')
  const arrowId = useId()
  return (
    // biome-ignore lint: what is wider than its room is scrolled by keys too
    <div className="module-graph-room" tabIndex={0} role="group" aria-label={t('graph.title')}>
      <div className="module-graph-sheet" style={{ width: toRem(width), height: toRem(height) }}>
        <svg viewBox={`0 0 ${width} ${height}`} width="100%" height="100%" aria-hidden="true">
          <defs>
            <marker id={arrowId} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 8 4 0 8z" />
            </marker>
          </defs>
          {lines.map(({ from, to, isCondition, points }) => (
            <polyline
              key={`${from} ${to}`}
              className={isCondition ? 'condition' : ''}
              points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
              markerEnd={`url(#${arrowId})`}
            />
          ))}
        </svg>
        <ul>
          {boxes.map(({ code, name, hidden, dependencies, conditions, x, y }) => (
            <li
              key={code}
              style={{ left: toRem(x), top: toRem(y), width: toRem(boxSize.width), height: toRem(boxSize.height) }}
            >
              <Link
                to={toModulePath(hidden ? 'hidden' : 'visible', idsByCode.get(code))}
                className={hidden ? 'hidden-box' : ''}
                title={`${name} ${code}`}
              >
                <strong>{name}</strong>
                <code>{code}</code>
                <span className="sr-only">
                  {dependencies.length > 0 && t('graph.needs', { codes: joinList(dependencies) })}
                  {hidden && t('graph.joins', { codes: joinList(conditions) })}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
