import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { hasFreeSpace } from '#local/space/free-space.ts'
import { fullChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'

/**
 * Without a connection each page that is opened looks first whether this device could keep what is typed there. A disk without
 * a byte left does not even open the database.
 */
export function SpaceProbe() {
  const { line } = useConnection()
  const { key } = useLocation()
  const dispatch = useDispatch()
  useEffect(() => {
    let isStill = true
    const found = line === 'online' ? Promise.resolve(true) : hasFreeSpace().catch(() => false)
    void found.then((isFree) => isStill && dispatch(fullChanged(!isFree)))
    return () => void (isStill = false)
  }, [line, key, dispatch])
  return null
}
