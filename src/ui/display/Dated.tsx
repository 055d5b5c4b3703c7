/** Text whose dates stand in one piece each, and break no line at their hyphens. */
export const Dated = ({ text }: { text: string }) =>
  text.split(/(\d{4}-\d\d-\d\d)/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <span className="dated" key={`${at} ${part}`}>
        {part}
      </span>
    ),
  )
