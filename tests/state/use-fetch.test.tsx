import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { connectivityChanged } from '#state/connection-slice.ts'
import { StoreProvider } from '#state/hooks.ts'
import { type Extra, makeStore } from '#state/store.ts'
import { useFetch } from '#state/use-fetch.ts'

function open(skip: boolean) {
  const fetched: string[] = []
  const store = makeStore({} as Extra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const first = () => {
    fetched.push('first')
  }
  const second = () => {
    fetched.push('second')
  }
  const { rerender } = renderHook(({ fetch, skip }) => useFetch(fetch, skip), {
    wrapper,
    initialProps: { fetch: first, skip },
  })
  const show = (fetch: () => void, skip: boolean) => rerender({ fetch, skip })
  const line = (now: 'online' | 'unreachable' | 'offline') => act(() => void store.dispatch(connectivityChanged(now)))
  return { fetched, first, second, show, line }
}

it('fetches when it comes, when the line goes or comes back, and when something else is to be fetched', () => {
  const { fetched, first, second, show, line } = open(false)
  expect(fetched).toEqual(['first'])
  show(first, false)
  expect(fetched).toHaveLength(1)
  line('offline')
  line('unreachable')
  expect(fetched).toHaveLength(2)
  line('online')
  expect(fetched).toHaveLength(3)
  show(second, false)
  expect(fetched.slice(3)).toEqual(['second'])
})

it('fetches nothing while it is told to skip, and then at once', () => {
  const { fetched, first, show, line } = open(true)
  line('offline')
  line('online')
  expect(fetched).toEqual([])
  show(first, false)
  expect(fetched).toEqual(['first'])
})
