/**
 * A hand that drags is answered past React, which would draw a form of many parts for each of its steps (Q2): whoever shows a
 * figure writes it into its own text. React hears of it when the hand rests.
 */
export interface Hand {
  /** False: not everybody can show that by themselves, so React has to. */
  drag: (users: string) => boolean
  /** Answers how to stop. */
  follow: (show: (users: string) => boolean) => () => void
}

export function createHand(): Hand {
  const followers = new Set<(users: string) => boolean>()
  return {
    drag: (users) => followers.size > 0 && [...followers].every((show) => show(users)),
    follow(show) {
      followers.add(show)
      return () => void followers.delete(show)
    },
  }
}
