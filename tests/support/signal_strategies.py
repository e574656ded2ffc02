"""Control messages and replies of every form."""

from hypothesis import strategies as st

from tercast.eventspace import dz
from tercast.signalling.messages import (
    MAX_CELL_BITS,
    MAX_CELLS,
    MAX_PART,
    AddressBody,
    CellsBody,
    ControlMessage,
    ControlReply,
    CutReader,
    CutsPart,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
    RunningPublisher,
    TermsBody,
)
from tercast.signalling.seal import MAX_COUNTER, Seal

ids = st.integers(0, 2**64 - 1)
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=60)
names = texts.filter(bool)
topics = st.integers(0, 2**112 - 1) | names
cells = st.integers(0, MAX_CELL_BITS).flatmap(lambda bits: st.integers(1 << bits, (2 << bits) - 1))
sets = st.lists(cells, min_size=1, max_size=MAX_CELLS).map(dz.canonical)
announced = st.builds(CellsBody, topics, sets) | st.builds(FilterText, topics, texts)
addresses = st.builds(AddressBody, st.binary(min_size=4, max_size=4) | st.binary(min_size=16, max_size=16))
numbers = st.integers(0, 2**32 - 1)
holdings = st.builds(RunningPublisher, names, ids, numbers)
reading = st.builds(CutReader, names, ids, numbers, numbers)
messages = st.one_of(
    st.builds(
        ControlMessage,
        st.sampled_from((MessageType.ADVERTISE, MessageType.SUBSCRIBE)),
        ids,
        announced,
        st.booleans(),
    ),
    st.builds(
        ControlMessage,
        st.sampled_from((MessageType.UNADVERTISE, MessageType.UNSUBSCRIBE)),
        ids,
        announced | st.builds(NamedBody, names),
        st.booleans(),
    ),
    st.builds(ControlMessage, st.just(MessageType.ADDRESS), ids, addresses, st.booleans()),
    st.builds(
        ControlMessage,
        st.sampled_from((MessageType.LEASE, MessageType.RELEASE)),
        ids,
        holdings,
        st.booleans(),
    ),
    st.builds(ControlMessage, st.just(MessageType.LEASE), ids, reading, st.booleans()),
)
codes = st.none() | st.integers(0, 2**112 - 1)
reasons = st.text("abcdefghij_", max_size=64)
places = st.lists(st.integers(0, 255), max_size=64).map(tuple)
terms = st.none() | st.builds(TermsBody, numbers, numbers, numbers, places)


@st.composite
def parts(draw: st.DrawFn) -> CutsPart:
    data = draw(st.binary(max_size=MAX_PART - 500))
    before, after = draw(st.integers(0, 2**20)), draw(st.integers(0, 2**20))
    return CutsPart(before + len(data) + after, before, data)


answers = st.builds(
    ControlReply,
    st.sampled_from(ReplyStatus),
    ids,
    texts,
    codes,
    st.booleans(),
    reasons,
    texts,
    terms,
    st.none() | parts(),
)
keys = st.binary(min_size=32, max_size=32)
seals = st.none() | st.builds(Seal, keys, st.integers(0, MAX_COUNTER))
